$LOAD; flows 4; $XD watch v0 --json --count 2 --every 2s >/mnt/out; [ $(wc -l </mnt/out) = 2 ]
got jq -r '.name, .action, .interfaces[0].name, .interfaces[0].mode, .streams[0].name,
	(.advice | length), .stopped, .behind.host.no_room, .window_ns' /mnt/out
is "$(printf 'v0\ndrop\nv0\nnative\ngsp\n0\nfalse\n0\n600000000000\n%.0s' 1 2)"
rates() { $XD watch v0 --json --count 2 --every 2s >/mnt/out
jq -e '.seconds > 0.4 and .packets_per_s > 100 and (.duplicate_share - 0.75 | fabs) < 0.03
	and (.copies - 4 | fabs) < 0.4 and (.dropped_per_s - .duplicates_per_s | fabs) < 0.001
	and .remembered_ns > 590e9 and .remembered_ns <= .window_ns and .fill > 0
	and (.interfaces[0].kernel_rx_packets_per_s / .packets_per_s - 1 | fabs) < 0.2
	and (([.cpus[].packets_per_s] | add) / .packets_per_s - 1 | fabs) < 0.2
	and (.time_ns / 1e9 - now | fabs) < 60' /mnt/out; }; soon rates
