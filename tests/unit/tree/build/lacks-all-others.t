lacks_it "libmnl (libmnl/libmnl.h), json-c (json-c/json.h), inih (ini.h), libpcap from 1.10 on \
(pcap/sll.h), ncurses (curses.h), libsystemd (systemd/sd-event.h), libmicrohttpd (microhttpd.h), \
$NO_CLANG, bpftool" $D/no-bpftool:$D/bin CPPFLAGS=-I$D/none
