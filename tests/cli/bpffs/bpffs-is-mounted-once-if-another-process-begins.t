unshare --pid --fork --mount-proc sh -exc 'while umount /sys/fs/bpf; do :; done
mounts() { grep -c "^bpf /sys/fs/bpf bpf" /proc/mounts || :; }; hidden=$(mounts)
mounted() { [ $(mounts) = $((hidden + 1)) ]; }
flock /sys/fs/bpf sh -c "touch /mnt/locked; sleep 1
	mount -t bpf -o mode=0700 bpf /sys/fs/bpf" & until [ -e /mnt/locked ]; do sleep 0.01; done
$XD refresh; wait; rm /mnt/locked; mounted'
