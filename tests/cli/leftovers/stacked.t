# Below a device with XDP the kernel attaches none, but a link goes on, and is taken off.
$LOAD; ip link set v0 master b0; ip link set b0 xdpgeneric pinned $OTHER
$XD set v0 --ihave pass; $XD resize v0 --capacity 30k; runs v0
ip link set p0 master b0; fails 'b0 is on top of p0 and runs XDP' $XD set v0 --add p0
ip link set p0 nomaster; runs v0
$XD unload v0; idle v0; clean; fails 'b0 is on top of v0' $LOAD; ip link set b0 xdpgeneric off
