$LOAD --layout flat --bits 100000 --hashes 5 --capacity 5k
$XD load v0 --replace
got $XD status v0 --json
has '"m": 100000'
has '"k": 5'
