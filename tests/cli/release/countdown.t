$LAST load v0 --port 8001 --layout countdown --fpr 1e-3 --capacity 10k
$LAST add v0 $ID_A
takes_over
got $XD test v0 $ID_A
ends
