mount -t bpf -o mode=0700 bpf /sys/fs/bpf; $LOAD; runs v0
umount /sys/fs/bpf; soon idle v0; got $XD status; has 'no filter'
