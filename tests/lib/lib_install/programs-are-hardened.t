# Position-independent, nothing writable that need not be, calls checked.
[ -z "$HARDEN$CFLAGS" ] || exit 77
cd $R/usr/local
for i in bin/xdp-dedup* libexec/xdp-dedup/xdp-dedup-metrics lib/libxdp-dedup.so.0; do
	readelf -dlW $i >$D/elf; grep GNU_RELRO $D/elf; grep BIND_NOW $D/elf; not grep TEXTREL $D/elf
	nm -D $i >$D/symbols; grep __stack_chk_fail $D/symbols; done
readelf -d bin/xdp-dedup >$D/elf; not grep -E 'microhttpd|nats' $D/elf; grep PIE $D/elf
nm -D bin/xdp-dedup | grep printf_chk
