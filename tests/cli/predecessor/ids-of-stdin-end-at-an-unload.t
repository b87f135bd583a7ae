# Without a change, the hand that has stopped tells it.
$LOAD --window 4s --capacity 10k; rm -f /mnt/in /mnt/out; mkfifo /mnt/in
$XD add v0 - </mnt/in >/mnt/out 2>&1 & exec 3>/mnt/in; echo $ID_B >&3
soon $XD test v0 $ID_B
$XD unload v0; sleep 2
$LOAD
echo $ID_A >&3; exec 3>&-; code=0; wait $! || code=$?; got cat /mnt/out
[ $code = 1 ]; has 'xdp-dedup: v0 was unloaded, or replaced by another'
lacks '00000000000000000000000000000000000000000000000000000000000000aB'
