conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; soon read_once
flock $PINS-lock sleep 300 & x=$!; held() { ! flock --nonblock $PINS-lock true; }; soon held
ip link add x0 group 7 type veth peer name x1 group 7; sleep 0.5; not pgrep -P $s
ip link set v0 address 02:00:00:00:00:99; one() { pgrep -P $s; }; soon one
pkill -P $x; wait $x || :; x=; quits TERM
