ip link set v0 master b0; ethtool -K v0 gro on rx-udp-gro-forwarding on; asked 1 b0
says merging b0 'problem: v0 merges UDP packets before b0'; has 'ethtool -K v0'
same b0 --port 80; asked 0 v0; says merging v0 ok
