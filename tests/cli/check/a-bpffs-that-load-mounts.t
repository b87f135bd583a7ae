unshare --pid --fork --mount-proc sh -ec 'while umount /sys/fs/bpf; do :; done
	mounts() { grep -c /sys/fs/bpf /proc/mounts || :; }; n=$(mounts)
	$XD check v0 --json >/mnt/j; [ $(mounts) = $n ]'
says bpffs - 'note: there is no BPF file system at /sys/fs/bpf: load mounts one'
[ $(jq .load_fails /mnt/j) = false ]
