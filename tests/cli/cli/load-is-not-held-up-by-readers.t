# Users who may read filters cannot keep others from changing them.
$LOAD; $XD unload v0; chmod 755 /sys/fs/bpf $PINS
nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
not nobody flock $PINS-lock true
nobody flock $PINS sh -c 'while [ -e /mnt/ids ]; do sleep 0.1; done' &
while flock --nonblock $PINS true; do sleep 0.01; done
$LOAD; $XD unload v0; rm /mnt/ids; wait
