$LOAD; listens v0 --rate 1M; kill -STOP $pid
$SEND p0 1 5000; kill -CONT $pid; stops; lines=$(wc -l </mnt/out)
[ $lines -ge 2000 ]; [ $lines -le 4000 ]
has "$lines shown; not shown: 0 beyond --rate, $((5000 - lines)) for want"
