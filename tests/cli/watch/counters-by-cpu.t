$LOAD; flows 4; for n in 1 2; do for cpu in 0 $(($(nproc) - 1)); do
	taskset -c $cpu $FLOW p0 1 100; done; quiet
	got $CPUS v0; $XD set v0 --action count; got $CPUS v0; flows 4; done
quiet; got $CPUS v0; [ $output -ge 1 ]
[ $($XD status v0 --json | jq .counters.rx) -ge 1600 ]
