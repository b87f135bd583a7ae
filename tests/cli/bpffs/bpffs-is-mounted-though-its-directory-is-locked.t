unshare --pid --fork --mount-proc sh -exc 'while umount /sys/fs/bpf; do :; done
mounts() { grep -c "^bpf /sys/fs/bpf bpf" /proc/mounts || :; }; hidden=$(mounts)
mounted() { [ $(mounts) = $((hidden + 1)) ]; }
flock /sys/fs/bpf sleep 300 & while flock --nonblock /sys/fs/bpf true; do sleep 0.01; done
timeout 60 $XD refresh; mounted'
