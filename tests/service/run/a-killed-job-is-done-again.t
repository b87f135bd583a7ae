conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; flock $PINS-lock sleep 300 & x=$!
held() { ! flock --nonblock $PINS-lock true; }; soon held; more 'capacity = 50k'
kill -HUP $s; one() { j=$(pgrep -P $s -x xdp-dedup); }; soon one
kill -9 $j
logs 'was ended by signal 9'; pkill -P $x; wait $x || :; x=
soon says feed capacity 50000; quits TERM
