ip link set v0 xdpdrv pinned $OTHER; asked 1 v0
says programs v0 'problem: v0 runs another XDP program (id '; has 'xdp off'
same v0 --port 80; ip link set v0 xdpdrv off
