$LOAD --capacity 10k --action count
$XD add v0 $ID_A
$XD load v0 --replace --action drop --port 9000 --ihave pass
got $XD status v0
has 'UDP port 9000, duplicates are dropped'
got $XD test v0 $ID_A
