conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; soon read_once; $XD add feed $ID_A; p=$(prog); ip link del v0; told 'waits for v0'
$XD test feed $ID_A; ip link add v0 group 7 type veth peer name p0 group 7
soon runs v0; $XD test feed $ID_A; soon says feed 'interfaces|length' 1
logs 'feed: runs on v0 again'; [ $(prog) = $p ]; got $XD status feed; lacks refresh; quits TERM
