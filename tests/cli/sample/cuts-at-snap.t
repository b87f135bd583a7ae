$LOAD; for snap in 60 256 1000 3000; do
listens v0 --write /mnt/x.pcap --snap $snap --count 2 --new; $SEND p0 $snap 2 1300; ends 0
pcap /mnt/x.pcap $snap 2 1382; done
