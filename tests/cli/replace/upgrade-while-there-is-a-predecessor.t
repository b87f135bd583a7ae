$LOAD --capacity 10k
$XD resize v0 --capacity 20k
$XD add v0 $ID_A
fails 'v0 has a predecessor' $NEXT load --replace --name v0
got $XD test v0 $ID_A
$NEXT load --replace --name v0 --forget
got $NEXT test v0 $ID_A
$NEXT unload v0
