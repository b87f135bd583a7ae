# A disk that is full at any write: what was there stays as it was.
mkdir -p /mnt/full; mount -t tmpfs -o size=64k tmpfs /mnt/full; trap 'umount /mnt/full' EXIT
saved 20k; echo old >/mnt/full/snapshot; k=8; failed=0
while mount -o remount,size=${k}k /mnt/full; not $XD save v0 /mnt/full/snapshot
do	[ "$(cat /mnt/full/snapshot)" = old ]; [ $(ls -A /mnt/full) = snapshot ]
	k=$((k + 20)); failed=$((failed + 1)); done >/mnt/log 2>&1
[ $failed -gt 5 ]; cmp -n 8 $S /mnt/full/snapshot
[ $(stat -c %s /mnt/full/snapshot) = $(stat -c %s $S) ]
[ $(grep -c '^xdp-dedup: cannot write /mnt/full/snapshot: No space left' /mnt/log) = $failed ]
