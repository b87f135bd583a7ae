f=/proc/sys/net/ipv6/conf/v0/force_forwarding; [ -e $f ] || exit 0
# Linux 6.17
got $LOAD; lacks note; $XD unload v0; echo 1 >$f
got $LOAD; has 'this host forwards'; $XD unload v0
