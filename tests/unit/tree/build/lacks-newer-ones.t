lacks_it 'libxdp from 1.3 on (xdp/libxdp.h), libpcap from 1.10 on (pcap/sll.h)' $ALL CPPFLAGS=-I$D/old
