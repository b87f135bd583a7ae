# On a bpffs that was mounted without mode=0700.
rm -rf /sys/fs/bpf/xdp; chmod 1777 /sys/fs/bpf
setpriv --reuid 65534 --regid 65534 --clear-groups mkdir /sys/fs/bpf/xdp
fails '/sys/fs/bpf/xdp could be changed by others than root' $LOAD --share; idle v0
exits 1 $XD check v0 --share; has '/sys/fs/bpf/xdp could be changed by others than root'
chown 0 /sys/fs/bpf/xdp; chmod 755 /sys/fs/bpf/xdp
fails '/sys/fs/bpf/xdp could be changed' $LOAD --share
chmod 700 /sys/fs/bpf/xdp; $LOAD --share; $XD unload v0; idle v0; clean
chmod 700 /sys/fs/bpf
