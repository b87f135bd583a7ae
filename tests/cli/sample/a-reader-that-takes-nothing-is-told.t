$LOAD; : >/mnt/err; $XD sample v0 --for 100s >/dev/full 2>/mnt/err & pid=$!
heard /mnt/err; start=$(date +%s); $SEND p0 1 1; ends 1; has 'cannot write'
[ $(($(date +%s) - start)) -lt 50 ]; ordinary
