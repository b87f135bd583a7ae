$LOAD; listens v0; first=$pid
fails "another xdp-dedup sample, process $pid, listens to v0: one can at a time" $XD sample v0
$SEND p0 1 1; shown 1; stops; listens v0; $SEND p0 2 1; shown 1; stops
