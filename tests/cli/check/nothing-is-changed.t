[ ! -e $PINS ]; before=$(ls -R /sys/fs/bpf; ip -d link; cat /proc/mounts)
asked 0 v0; [ ! -e $PINS ]; idle v0
[ "$before" = "$(ls -R /sys/fs/bpf; ip -d link; cat /proc/mounts)" ]
$LOAD; before=$(ls -R /sys/fs/bpf; ip -d link); asked 1 v0 p0
[ "$before" = "$(ls -R /sys/fs/bpf; ip -d link)" ]; $XD status v0
