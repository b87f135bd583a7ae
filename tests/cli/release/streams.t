$LAST load v0 --profile a=gsp:1 --profile b=gsp:2 --capacity 10k
$LAST add v0/b $ID_A
takes_over
got $XD test v0/b $ID_A; exits 3 $XD test v0/a $ID_A
ends
