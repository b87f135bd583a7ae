$LOAD; start=$(date +%s)
{ code=0; timeout 50 $XD watch v0 --every 100ms || code=$?; echo $code >/mnt/code; } | head -n 2
[ $(cat /mnt/code) = 141 ]
code=0
(trap '' PIPE; timeout 50 $XD watch v0 --every 100ms 2>/mnt/err || echo $? >/mnt/code) | head -n 2
got cat /mnt/code; is 1; got cat /mnt/err; has 'cannot write all of the output'
exits 1 sh -c '$XD watch v0 --every 100ms >/dev/full'; has 'cannot write'
[ $(($(date +%s) - start)) -lt 50 ]
