# as libxdp 1.3 does in its users' processes
$LOAD; bpftool prog pin pinned $PINS/v0/prog /sys/fs/bpf/copy; got $XD unload v0; is ''
clean; rm /sys/fs/bpf/copy
