# A packet in a tunnel that is opened on v0 meets the filter on x0 again.
ip link add x0 group 7 type vxlan id 1 dev v0 dstport 4789 || exit 0; ip link set x0 up
asked 1 v0 x0 --profile mirror --tunnels vxlan
says stacking - 'problem: x0 takes packets out of tunnels that come by v0, where'
has '-> load v0 alone'; same v0 x0 --profile mirror --tunnels vxlan; clean
asked 1 x0 v0 --profile mirror --tunnels all; same x0 v0 --profile mirror --tunnels all
asked 0 v0 x0 --profile mirror; asked 0 v0 x0 --profile mirror --tunnels gre
asked 0 p0 x0 --profile mirror --tunnels vxlan
$XD load v0 x0 --profile mirror
$XD set v0 --tunnels gre
fails 'x0 takes packets out of tunnels that come by v0' $XD set v0 --tunnels vxlan
$XD unload --all; ip link del x0
