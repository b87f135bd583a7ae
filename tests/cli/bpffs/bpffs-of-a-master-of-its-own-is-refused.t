mkdir /mnt/master; fails 'no other process is seen to hold the bpffs' \
	unshare --pid --fork --mount-proc sh -ec 'mount -t bpf -o mode=700 bpf /sys/fs/bpf; mount --make-shared /sys/fs/bpf
	mount --bind /sys/fs/bpf /mnt/master; mount --make-slave /sys/fs/bpf; exec $XD load v0 --port 8001'; idle v0; rmdir /mnt/master
