makes install DESTDIR=$D; echo changed >$D/etc/xdp-dedup/xdp-dedup.conf; makes install DESTDIR=$D
makes uninstall DESTDIR=$D; grep -x changed $D/etc/xdp-dedup/xdp-dedup.conf
