$LOAD; listens v0 --write - --count 2; $SEND p0 1 2; ends 0
pcap /mnt/out 9216 2 82
