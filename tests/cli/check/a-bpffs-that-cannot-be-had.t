unshare --pid --fork --mount-proc sh -c 'umount /sys/fs/bpf
	unshare --mount $XD check v0 --json >/mnt/j; [ $? = 1 ]'
says bpffs - 'problem: there is no bpffs at /sys/fs/bpf in this mount namespace'
fails "$(first problem)" unshare --pid --fork --mount-proc sh -c 'umount /sys/fs/bpf
	unshare --mount $XD load v0 --port 8001; exit $?'
