conf '[filter feed]' 'interfaces = v0' 'port = 8001' 'action = drop' 'capacity = 30k'; serve
$XD set feed --action count --port 8001,8003; $XD resize feed --capacity 40k
ip link del v0; told 'waits for v0'
ip link add v0 group 7 type veth peer name p0 group 7; soon runs v0; says feed action count
says feed 'ports|length' 2; says feed capacity 40000; got cat /mnt/log; lacks tried
quits TERM
