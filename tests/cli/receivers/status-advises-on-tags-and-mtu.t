advice() { $XD status $1 --json | jq -r '.advice[].key | select(. != "behind")'; }
ip tuntap add dev t0 mode tap; $XD load t0 --port 80; [ -z "$(advice t0)" ]
ip link set t0 mtu 9000; case $(uname -r) in 6.1.*) ;; *) [ "$(advice t0)" = mtu ];; esac
ip link set t0 mtu 1500; [ -z "$(advice t0)" ]; $XD unload t0; ip link del t0
ip link set v0 mtu 9000; ethtool -K v0 rxvlan on; $LOAD; [ -z "$(advice v0)" ]
$XD unload v0; $LOAD --vlan 10; [ $(advice v0) = tags ]
ethtool -K v0 rxvlan off; [ -z "$(advice v0)" ]
