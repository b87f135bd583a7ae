conf '[filter feed]' 'interfaces = v0 b0' 'port = 8001'; serve; runs v0; $XD unload b0
ip link add x0 group 7 type veth peer name x1 group 7; $XD set feed --add x1; ip link del v0
ip link add v0 group 7 type veth peer name p0 group 7; soon runs v0; idle b0; runs x1
reload; runs b0; idle x1; quits TERM; ip link del x0
