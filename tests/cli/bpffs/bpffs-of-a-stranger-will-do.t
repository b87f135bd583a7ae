# as that of a container, entered by nsenter
unshare --mount sh -ec 'mount -t bpf -o mode=700 bpf /sys/fs/bpf; touch /mnt/a; exec sleep 300' >/dev/null 2>&1 & p=$!
until [ -e /mnt/a ]; do sleep 0.01; done; rm /mnt/a
there() { nsenter --target $p --mount "$@"; }
there /mnt/tool load v0 --port 80; there /mnt/tool status v0; [ ! -e $PINS ]
there /mnt/tool unload v0; idle v0; kill $p
