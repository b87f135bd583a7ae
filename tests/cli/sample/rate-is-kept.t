$LOAD; listens v0 --rate 4/s; start=$(date +%s)
for i in $(seq 20); do $SEND p0 $i 10; sleep 0.1; done; sleep 0.3; stops
lines=$(wc -l </mnt/out); [ $lines -ge 8 ]; [ $lines -le $((4 * ($(date +%s) - start + 2))) ]
has "$lines shown; not shown: $((200 - lines)) beyond --rate, 0 for"
