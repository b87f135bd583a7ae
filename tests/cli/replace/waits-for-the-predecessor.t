$LOAD --capacity 10k --window 100ms
$XD load v0 --replace --capacity 20k
$XD load v0 --replace --capacity 30k --wait
