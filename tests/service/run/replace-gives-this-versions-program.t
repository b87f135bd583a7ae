# As in a container of another image: what the file says is what runs already.
conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; $XD add feed $ID_A; quits TERM
p=$(prog); opt=--replace; serve
[ $(prog) != $p ]; logs 'feed: replaced'; $XD test feed $ID_A; p=$(prog)
reload; [ $(prog) = $p ]; quits TERM
conf '[filter feed]' 'interfaces = v0' 'port = 8001' '[filter late]' 'interfaces = x0' 'port = 1'
serve; ip link add x0 group 7 type veth peer name x1 group 7; soon runs x0; quits TERM
$XD test feed $ID_A
