got unshare --pid --fork --mount-proc sh -ec 'while umount /sys/fs/bpf; do :; done
	mounts() { grep -c /sys/fs/bpf /proc/mounts || :; }; n=$(mounts)
	if $XD status | grep -v "no filter is loaded"; then exit 1; fi
	[ $(mounts) = $n ]
	$XD load v0 --port 8001; grep "^bpf /sys/fs/bpf bpf .*mode=700" /proc/mounts; $XD status v0
	$XD unload v0'
has 'bpf /sys/fs/bpf bpf '; has "interfaces  v0 (native)
"
