ip link add w0 group 7 numrxqueues 1 type veth peer name w1 group 7 numtxqueues 4
ip link set w0 up; ip link set w1 up; ethtool -L w1 tx 4
got $XD load w0 --port 80; has 'w0 has no native XDP (veth: XDP expects number of rx'
$XD unload w0
fails 'native mode (veth: XDP expects number of rx queues not less' $XD load w0 --port 80 --mode native
