# As in a container, whose only process the command then is.
mount --make-shared /sys/fs/bpf; unshare --pid --fork --mount-proc --propagation slave $LOAD
[ -e $PINS/v0/timer ]; unshare --pid --fork --mount-proc --propagation slave $XD unload v0
idle v0; mount --make-private /sys/fs/bpf
