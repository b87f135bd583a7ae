# As `ip netns exec` in a container, whose only process the command then is.
fails 'there is no bpffs at /sys/fs/bpf in this mount namespace; mount -t bpf -o mode=0700 ' \
	unshare --pid --fork --mount-proc sh -ec 'umount /sys/fs/bpf; exec $XD load v0 --port 8001'
idle v0
