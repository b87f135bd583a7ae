$LOAD; for how in 'chmod 777' 'chown 65534'; do $how /sys/fs/bpf
	fails 'could be changed by others than root' $XD load p0 --port 80
	fails 'could be changed by others than root' $XD status v0
	chown 0 /sys/fs/bpf; chmod 700 /sys/fs/bpf; done; $XD unload v0
