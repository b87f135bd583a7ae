$LOAD; flock $PINS-lock sh -c 'echo $$ >/mnt/p; exec sleep 60' >/dev/null 2>&1 &
until [ -s /mnt/p ]; do sleep 0.01; done; asked 0 p0
says lock - "note: another xdp-dedup (process $!) is changing filters: load waits"
kill $(cat /mnt/p); wait || :; rm /mnt/p; asked 0 p0; says lock - ok
