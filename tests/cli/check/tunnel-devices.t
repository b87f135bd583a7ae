asked 0 v0; says tunnels v0 'ok: no tunnel device takes'
ip link add x0 group 7 type vxlan id 1 dev v0 dstport 4789 || exit 0
asked 0 v0; says tunnels v0 'ok: no tunnel device takes'; ip link set x0 up
asked 0 v0; says tunnels v0 'ok: x0 takes packets out of tunnels behind the filter'
asked 0 v0 --tunnels gre; says tunnels v0 'ok: x0 takes'
asked 0 p0 --tunnels vxlan; says tunnels p0 'ok: no tunnel device takes'
asked 0 v0 --profile mirror --tunnels vxlan
says tunnels v0 'note: x0 gets tunnels behind the filter, which opens them'
has '-> if that is not wanted, name with --outer-to'
notes_of tunnels v0 --profile mirror --tunnels vxlan
asked 0 v0 --profile mirror --tunnels vxlan --outer-to 192.0.2.7
says tunnels v0 'ok: x0 gets tunnels behind the filter, which opens those to'
ip link del x0
