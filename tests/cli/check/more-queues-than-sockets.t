ip link add w0 numrxqueues 63 numtxqueues 63 group 7 type veth peer name q0 group 7
ip link add w1 numrxqueues 2 numtxqueues 2 group 7 type veth peer name q1 group 7
asked 0 w0 --deliver xsk; says delivery - 'ok: '; asked 0 w0 w1; says delivery - 'ok: '
asked 0 w0 w1 --deliver xsk
says delivery - 'note: there are 65 RX queues, and 64 of them can have AF_XDP sockets: fresh packets of the others go to the stack'
has '-> ethtool -L makes them fewer'
