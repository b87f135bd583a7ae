ip link add v1 group 7 type veth peer name p1 group 7
$LOAD v1
ip link del v1; got $XD status v0; has 'v1 (gone)'
$XD set v0 --action count; got $XD status v0; lacks v1; runs v0; $XD unload v0; clean
