ip link add v1 group 7 type veth peer name p1 group 7
$LOAD v1 --capacity 10k
ip link del v1
$XD set v0 --action count
got $XD status v0
has "interfaces  v0 (native)
"
ip link add v1 group 7 type veth peer name p1 group 7
$XD set v0 --add v1
runs v1
far; ip link set v1 netns $far; $XD set v0 --action drop; there ip link show v1 | grep -q xdp
kill $far; $XD set v0 --action count; runs v0
