# One that only the command holds would end with it.
unshare --mount sh -ec 'mount -t bpf -o mode=700 bpf /sys/fs/bpf; exec $XD load v0 --port 8001'
[ -e $PINS/v0/timer ]; $XD unload v0
