unshare --mount sh -ec 'mount -t bpf -o mode=700 bpf /sys/fs/bpf; $XD load v0 --port 8001; [ -e $PINS/v0/timer ]; $XD status v0; $XD unload v0'
[ ! -e $PINS ]
