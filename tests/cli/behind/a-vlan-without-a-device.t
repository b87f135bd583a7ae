# a kernel without VLAN devices has no remedy
FILTER="$FILTER --vlan 10"; $XD load v0 v1 $FILTER
arrive '= 0' 20 tag -- join=v0 join=v1; says 'there is no VLAN device on v1'
advises 'there is no VLAN device on v0'
ip link add link v0 name v0.10 type vlan id 10 || exit 0
ip link add link v1 name v1.10 type vlan id 10
for i in 0 1; do ip addr del 10.9.0.$((i + 2))/24 dev v$i
	ip addr add 10.9.0.$((i + 2))/24 dev v$i.10; ip link set v$i.10 up
	echo 0 >/proc/sys/net/ipv4/conf/v$i.10/rp_filter; done
arrive '= 20' 20 tag -- join=v0.10 join=v1.10; silent
