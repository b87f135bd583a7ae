# Ended by a signal at any time, nothing is left but a whole snapshot. No signal may come with
# SIGCONT, as timeout(1) has it: that one makes LeakSanitizer, as it stops the process at its end,
# wait for ever.
now() { echo $(($(date +%s%N) / 1000000)); }
$LOAD --capacity 5M; start=$(now); $XD save v0 $S; took=$(($(now) - start))
for signal in TERM INT HUP; do for part in 1 2 3 4 5 6 7 8 9 10 11; do
	rm -f $S; ms=$((took * part / 10))
	$XD save v0 $S & sleep $(printf %d.%03d $((ms / 1000)) $((ms % 1000)))
	kill -$signal $! || :; wait $! || :
	for f in $(ls -A /mnt/saved); do [ $f = snapshot ] || exit 1; done
done; done >/mnt/log 2>&1; grep -q 'stopped by a signal' /mnt/log
