conf '[filter late]' 'interfaces = x0' 'port = 8001'; serve
ip link add x0 group 7 type veth peer name x1 group 7; runs x0 || late=1
while [ -d /sys/class/net/v0 ]; do ip link set b0 alias a; ip link set b0 alias b; done & x=$!
ip link del x0; sleep 0.3; ip link add x0 group 7 type veth peer name x1 group 7
soon runs x0; kill $x; wait $x || :; x=; quits TERM
