# The report is not among the packets.
for part in passed dropped; do
	replay mesh --port 8001 --write-$part $D/p >$D/report
	(set +x; replay mesh --port 8001 --write-$part - >$D/out 2>$D/err)
	cmp $D/p $D/out; cmp $D/report $D/err; done
