nm -u $R/usr/local/lib/libxdp-dedup.a >$D/used
not grep -E ' U _*(v?f?printf|puts|fputs|putchar|fputc|perror|exit|abort|assert_fail|errx?|warnx?|syslog|stdout|stderr)(_chk)?$' $D/used
grep ' U mmap' $D/used # or the above is void
