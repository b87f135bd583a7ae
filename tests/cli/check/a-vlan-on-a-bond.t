ip link add bo0 group 7 type bond && ip link set v0 master bo0 && ip link add vl0 link bo0 \
	group 7 type vlan id 5 || exit 0
# this kernel has none
asked 1 v0 vl0; says stacking - 'problem: vl0 is on top of v0'; same v0 vl0 --port 80
asked 0 v0; says layers v0 'bo0, vl0'; asked 0 vl0; says layers vl0 'note: vl0 is on top'
ip link del vl0; ip link del bo0
