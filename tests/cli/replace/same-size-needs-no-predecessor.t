$LOAD --capacity 10k --window 1m --fpr 1e-5
$XD load v0 --replace --capacity 10k --window 1m --fpr 1e-5
[ "$(ls $PINS)" = v0 ]
$XD unload v0
$LOAD --layout flat --capacity 10k
$XD load v0 --replace --layout flat --capacity 10k
[ "$(ls $PINS)" = v0 ]
