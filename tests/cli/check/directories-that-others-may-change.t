$LOAD; chmod 777 $PINS; asked 1 p0; says lock - 'problem: /sys/fs/bpf/xdp-dedup could be'
same p0 --port 80; chmod 700 $PINS; chmod 755 $PINS-lock; asked 1 p0
same p0 --port 80; chmod 700 $PINS-lock; asked 0 p0
