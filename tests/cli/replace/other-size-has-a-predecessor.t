$LOAD --capacity 10k --window 1m
$XD add v0 $ID_A
got $XD load v0 --replace --capacity 20k
has 'is kept until it is forgotten: at most 2m'
got $XD test v0 $ID_A
fails 'v0 has a predecessor' $XD load v0 --replace --capacity 30k
$XD load v0 --replace
got $XD status v0
has 'predecessor 81.2 kB'
$XD load v0 --replace --capacity 30k --forget
