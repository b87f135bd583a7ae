ip link add x0 group 7 type vxlan id 1 dev v0 dstport 4789 || exit 0; ip link set x0 up
asked 0 x0; says tunnels x0 'note: x0 is a tunnel device: it gets packets as skbs, and'
has 'their tunnels -> load the filter on v0, with --tunnels vxlan: it then drops'
asked 0 x0 --tunnels vxlan; says tunnels x0 ', so --tunnels finds only a tunnel inside of'
asked 0 x0 --tunnels gre; says tunnels x0 'out of their tunnels -> load'
notes_of tunnels x0 --profile mirror; ip link del x0
ip link add x0 group 7 type vxlan id 1 dstport 4789 || exit 0; ip link set x0 up
asked 0 x0; says tunnels x0 'load the filter on the interface by which the tunnels come'
ip link del x0
