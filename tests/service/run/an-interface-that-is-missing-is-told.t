# the file is /mnt/run/conf.prom
conf '[service]' 'metrics-every = 100ms' '[filter feed]' 'interfaces = v0 x0' 'port = 1'; serve
is() { grep -q "interface_$2.*\"$1\"} $3" /mnt/run/conf.prom; }
soon is x0 up 0; soon is v0 up 1; is x0 present 0; is v0 present 1
ip link add x0 group 7 type veth peer name x1 group 7; soon is x0 up 1; is x0 present 1
ip netns del far 2>/dev/null || :; ip netns add far; ip link set x0 netns far; soon is x0 present 0
is x0 up 1
quits TERM; $XD unload --name feed; ip netns del far
