# One of them has another index there, as its own is taken.
far; $LOAD
ip link set v0 netns $far; there ip link set v0 address 02:00:00:00:00:77
got there $XD status v0; has 'have changed: xdp-dedup refresh v0'; there $XD refresh
got there $XD status v0; lacks warning; has 'interfaces  v0 (native)
'
got $XD status v0; has 'interfaces  v0 (other netns)
'; there $XD unload v0; clean
$XD load p0 b0 --port 80
there ip link add w0 index $(cat /sys/class/net/p0/ifindex) type bridge
# So that there it does not get the index that b0 has here.
n=0 k=0; until [ $k -gt $(cat /sys/class/net/b0/ifindex) ]; do
	there ip link add y$((n += 1)) type bridge
	k=$(there ip -o link show y$n | cut -d: -f1); done
ip link set p0 netns $far; got there $XD status p0; has 'have changed'
there $XD refresh p0; got there $XD status p0; lacks warning; has 'b0 (other netns)'
got $XD status p0; has 'p0 (other netns)'; lacks warning; $XD refresh
got there $XD status p0; lacks warning
$XD unload b0; there $XD unload p0; clean; kill $far
