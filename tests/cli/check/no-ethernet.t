ip tuntap add dev t0 mode tun; asked 1 t0; says ethernet t0 'problem: packets of t0 have'
same t0 --port 80; ip link del t0
