# Others have its index there.
far; $LOAD; there ip link add x0 index $(cat /sys/class/net/v0/ifindex) type bridge
ip link set v0 netns $far; got there $XD status v0; has 'v0 (native)'; lacks x0
$XD unload --name v0; clean; kill $far
