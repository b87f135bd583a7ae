[ $(nproc) -gt 1 ] || exit 0; ip link add w0 numrxqueues 2 numtxqueues 2 group 7 type veth \
	peer name q0 group 7
ethtool -L w0 rx 1; asked 0 w0; says queues w0 'note: w0 has 1 RX queue, and'
has '-> if they are too few: ethtool -L w0 combined 2 (or rx 2)'
values queues w0 "{\"rx_queues\":1,\"rx_queues_max\":2,\"cpus\":$(nproc)}"
ethtool -L w0 rx 2; asked 0 w0; says queues w0 'ok: RX queues: 2, of 2'
asked 0 b0; says queues b0 'unknown: '
