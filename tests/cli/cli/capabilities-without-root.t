chown 65534 /sys/fs/bpf; c=+bpf,+perfmon,+net_admin
can() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps $c \
	--ambient-caps $c /mnt/tool "$@"; }
can load v0 --port 80; runs v0; got can status v0; has '(native)'
can add v0 $ID_A; can rotate v0; can unload v0; idle v0; clean
rm -r $PINS $PINS-lock; chown 0 /sys/fs/bpf
