# v0 is neither free nor is its name, whatever check can find out.
$LOAD
for cmd in 5 6 7 15 29; do for err in ${ERRORS:-1 12 24}; do
$WITHOUT $cmd $err $XD check v0 --json >/mnt/j 2>/mnt/e || :
[ ! -s /mnt/e ]; jq -e '[.checks[] | select(.verdict == "ok").check] |
	(index("programs") or index("name")) | not' /mnt/j; whole
done; done
