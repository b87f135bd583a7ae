$LOAD; $PIN $PINS/v0/link-v0 /sys/fs/bpf/copy; $XD set v0 --ihave pass
got $XD unload v0; is ''; idle v0; clean; rm /sys/fs/bpf/copy
