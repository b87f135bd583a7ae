ip link set v0 mtu 9000; ip link set p0 mtu 9000
$LOAD; listens v0 --write /mnt/x.pcap --count 2; $SEND p0 1 2 8700; ends 0
pcap /mnt/x.pcap 9216 2 8782
listens v0 --write /mnt/x.pcap --snap 5000 --count 2; $SEND p0 3 2 8700; ends 0
pcap /mnt/x.pcap 5000 2 8782
