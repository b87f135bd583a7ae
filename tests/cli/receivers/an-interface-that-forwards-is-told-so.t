echo 1 >/proc/sys/net/ipv6/conf/all/forwarding; got $LOAD; has 'this host forwards'
$XD unload v0; echo 0 >/proc/sys/net/ipv6/conf/all/forwarding
got $LOAD; lacks note; $XD unload v0
echo 1 >/proc/sys/net/ipv4/conf/p0/forwarding; got $LOAD; lacks note; $XD unload v0
echo 1 >/proc/sys/net/ipv4/conf/b0/forwarding; got $LOAD; lacks note; $XD unload v0
ip link set v0 master b0; got $LOAD; has 'this host forwards'; $XD unload v0
echo 0 >/proc/sys/net/ipv4/conf/b0/forwarding; got $LOAD; lacks note; $XD unload v0
echo 1 >/proc/sys/net/ipv4/conf/v0/forwarding; got $LOAD; has 'this host forwards'
