far; there ip link add w0 type veth peer name w1
there $XD load w0 --port 80 --name x; kill $far; gone() { $XD status x | grep -q gone; }
soon gone; $LOAD --name x; $XD unload v0; clean
