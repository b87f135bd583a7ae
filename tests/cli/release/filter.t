$LAST load v0 p0 --port 8001 --capacity 10k --action count
$LAST add v0 $ID_A
got $XD status v0; has 'at 10000 ids'
takes_over
runs p0; got $XD test v0 $ID_A
got $XD status v0; has 'are counted and passed'
$XD set v0 --action drop; got $XD test v0 $ID_A
ends
