conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; $XD add feed $ID_A; ip link del v0; told 'waits for v0'
more 'capacity = 50k'; reload; says feed capacity $XDP_DEDUP_CAPACITY
ip link add v0 group 7 type veth peer name p0 group 7; soon says feed capacity 50000
soon runs v0; $XD test feed $ID_A; quits TERM
