ip tuntap add dev t0 mode tap; asked 0 t0
case $(uname -r) in 6.1.*) ;; *) says mtu t0 'ok: MTU 1500: packets take one buffer; above 34';; esac; ip link del t0
