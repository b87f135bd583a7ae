$LOAD --window 1s --capacity 10; rm $PINS/v0/timer
stopped() { $XD status v0 | grep -q stopped; }; soon stopped; got $XD status v0
has '
  hand        has stopped: all ids pass; unload and load again
'
got $XD status v0 --json; has '"stopped": true'
fails 'the hand of v0 has stopped; unload and load it again' $XD rotate v0
fails 'the hand of v0 has stopped' $XD reset v0
fails 'stopped' $XD want v0 $ID_A
fails 'stopped' $XD add v0 - </mnt/ids; exits 1 $XD add v0 $ID_A; has 'has stopped'
exits 1 $XD test v0 $ID_A; is 'xdp-dedup: the hand of v0 has stopped; unload and load it again'
$XD unload v0; $LOAD; $XD rotate v0
