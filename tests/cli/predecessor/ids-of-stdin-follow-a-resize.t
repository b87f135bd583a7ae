# The second resize gives up what the first one's predecessor has learned.
$LOAD --window 1m --capacity 10k; rm -f /mnt/in /mnt/out; mkfifo /mnt/in
$XD add v0 - </mnt/in >/mnt/out 2>&1 & exec 3>/mnt/in; echo $ID_B >&3
soon $XD test v0 $ID_B
$XD resize v0 --capacity 20k; echo $ID_A >&3; soon $XD test v0 $ID_A
$XD resize v0 --capacity 30k --forget; $XD test v0 $ID_A
echo $ID_A >&3; exec 3>&-; code=0; wait $! || code=$?; got cat /mnt/out
[ $code = 0 ]; is '00000000000000000000000000000000000000000000000000000000000000bb new
00000000000000000000000000000000000000000000000000000000000000aB new
00000000000000000000000000000000000000000000000000000000000000aB known'
