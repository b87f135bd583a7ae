# A second bpffs would hide the pins in the first one.
unshare --pid --fork --mount-proc sh -exc 'while umount /sys/fs/bpf; do :; done
mounts() { grep -c "^bpf /sys/fs/bpf bpf" /proc/mounts || :; }; hidden=$(mounts)
mounted() { [ $(mounts) = $((hidden + 1)) ]; }
for i in $(seq 20); do for j in 1 2 3 4; do $XD refresh & done; wait; mounted
	umount /sys/fs/bpf; done'
