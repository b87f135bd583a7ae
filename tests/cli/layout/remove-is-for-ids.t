exits 2 $XD remove v0; has 'xdp-dedup: usage: xdp-dedup remove NAME[/STREAM] ID...'
fails 'no filter v0' $XD remove v0 $ID_A
# With so many cells, that two ids have one in common is not to be expected.
$LOAD --layout countdown --capacity 20k
exits 2 $XD remove v0 xyz; has 'xyz is no id: give 64 hex digits'
fails 'is no id: all zero stands for none' $XD remove v0 ${ZEROS}00
$XD add v0 $ID_A $ID_B; printf '%s\n\n%s\n' $ID_B $ID_B >/mnt/two
output=$($XD remove v0 - </mnt/two); is "$ID_B removed
$ID_B unknown"
got $XD test v0 $ID_A; is "$ID_A known"
