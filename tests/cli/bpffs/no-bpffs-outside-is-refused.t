fails 'there is no bpffs at /sys/fs/bpf in this mount namespace; mount -t bpf -o mode=0700 ' \
	unshare --pid --fork --mount-proc sh -c 'umount /sys/fs/bpf
unshare --mount $XD load v0 --port 8001; exit $?'; idle v0
