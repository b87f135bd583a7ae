$LOAD; listens v0 --write /mnt/x.pcap; $SEND p0 1 2 1300
soon eval '[ $(stat -c %s /mnt/x.pcap) = 2820 ]'; stops
has '2 written; not written: 0'; [ ! -s /mnt/out ]; pcap /mnt/x.pcap 9216 2 1382
if which tcpdump; then got tcpdump -nr /mnt/x.pcap
	has 'IP 10.0.0.1.4001 > 10.0.0.2.8001: UDP, length 1340'; fi
