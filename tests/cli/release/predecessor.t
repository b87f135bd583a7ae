$LAST load v0 --port 8001 --capacity 10k; $LAST add v0 $ID_A
$LAST resize v0 --capacity 20k; $LAST add v0 $ID_B
takes_over
got $XD test v0 $ID_A $ID_B
ends
