ip link add x0 group 7 type vxlan id 1 dstport 4789 || exit 0; ip link set x0 up
asked 1 v0 x0 --profile mirror --tunnels vxlan
says stacking - 'problem: x0 takes packets out of tunnels that come by v0, where'
$XD load v0 x0 --profile mirror
fails 'x0 takes packets out of tunnels that come by v0' $XD set v0 --tunnels vxlan
fails 'x0 takes packets out of tunnels that come by v0' $XD load --replace v0 x0 \
	--profile mirror --tunnels vxlan
$XD set v0 --tunnels gre; $XD unload --all; ip link del x0
