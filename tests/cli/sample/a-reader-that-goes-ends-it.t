$LOAD; : >/mnt/err; rm -f /mnt/gone
{ ASAN_OPTIONS=detect_leaks=0 $XD sample v0 --for 10m 2>/mnt/err || echo $? >/mnt/code; } |
	{ head -1 >/mnt/one; exec <&-; : >/mnt/gone; } &
soon grep -q listening /mnt/err; $SEND p0 1 1; soon test -e /mnt/gone
$SEND p0 2 1; wait; [ $(wc -l </mnt/one) = 1 ]
got cat /mnt/code; is 141; ordinary; got $XD sample v0 --for 10ms
