# While a link is there, the kernel lets nobody else exchange or detach the program.
$LOAD; not ip link set v0 xdp off; not ip -force link set v0 xdpdrv pinned $OTHER
not ip -force link set v0 xdp off; not bpftool net detach xdpdrv dev v0
runs v0; got $XD status v0; has 'v0 (native)'; $XD unload v0; clean
