$XD load v0 p0 b0 --port 80; $XD unload v0 p0 b0
ip link set v0 master b0; ip link add b1 group 7 type bridge; ip link set p0 master b1
$XD load b0 p0 --port 80; got $XD status; lacks warning; $XD unload b0 p0
$XD load v0 b1 --port 80; got $XD status; lacks warning; $XD unload v0 b1
ip link del b1
