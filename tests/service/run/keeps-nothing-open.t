conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; soon read_once
reload; fds() { ls /proc/$s/fd | wc -l; }; a=$(fds)
for i in $(seq 10); do ip link add x0 group 7 type veth peer name x1 group 7; ip link del x0; sleep 0.15; done
reload; no_more() { [ $(fds) -le $a ]; }; soon no_more; quits TERM
