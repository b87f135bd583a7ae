conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; ip link del v0; told 'waits for v0'; flock $PINS-lock sleep 300 & x=$!
held() { ! flock --nonblock $PINS-lock true; }; soon held
ip link add v0 group 7 type veth peer name p0 group 7; one() { pgrep -P $s; }; soon one
idle v0; pkill -P $x; wait $x || :; x=; soon runs v0; quits TERM
