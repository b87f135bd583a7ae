$LOAD; listens v0; first=$pid; kill -STOP $pid; ordinary
: >/mnt/err2; $XD sample v0 --for 10m 2>/mnt/err2 & second=$!; heard /mnt/err2
kill -CONT $first; ends 1; pid=$second
has 'held up for too long: another xdp-dedup sample listens to v0 now'; stops
