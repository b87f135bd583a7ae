$LOAD --capacity 10k
$XD add v0 $ID_A
ip link del v0
fails 'set v0 --add IFNAME' $XD set v0 --action count
fails 'on which is it to?' $XD load --name v0 --replace
ip link add v0 group 7 type veth peer name p0 group 7
$XD load v0 --replace
runs v0
got $XD test v0 $ID_A
got $XD status v0
has 'interfaces  v0 ('
lacks gone
[ "$(ls $PINS)" = v0 ]
