ip link set v0 mtu 9000; asked 0 v0; case $(uname -r) in 6.1.*) says mtu v0 'unknown: ';;
*) says mtu v0 'ok: MTU 9000: packets take several buffers (frags), which the driver';; esac
asked 0 v0 --mode skb; says mtu v0 'ok: MTU 9000: packets take one'
# A driver with native XDP and no frags.
ip tuntap add dev t0 mode tap; ip link set t0 mtu 9000; asked 0 t0 v0
case $(uname -r) in 6.1.*) ;; *) says mtu t0 'note: t0 has an MTU of 9000, and its'
	has '-> ip link set dev t0 mtu 34';; esac; ip link del t0
ip link set v0 mtu 3400; asked 0 v0; says mtu v0 'one buffer'
