replay mesh --port 8001 --json >$D/a; replay mesh --port 8001 --json --action count | cmp $D/a -
