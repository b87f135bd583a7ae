# Without libnats the publisher is left out, in one line. Nothing else needs libnats.
all_commands NATS=; [ $(grep -c publish $D/commands) = 1 ]
grep 'SKIP .*xdp-dedup-publish: libnats' $D/commands; not grep -e -lnats $D/commands
all_commands NATS=yes; not grep SKIP $D/commands
grep -e '-lnats .*-o .*/xdp-dedup-publish' $D/commands | grep -v installed | grep -q rpath
