not got unshare --mount sh -ec 'umount -l /proc; ASAN_OPTIONS=detect_leaks=0 exec $XD load v0 --port 8001'
has 'no other process is seen to hold the bpffs'; idle v0; [ ! -e $PINS ]
