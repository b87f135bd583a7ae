exits 2 $XD load --replace --port 8001
has 'which filter?'
exits 2 $XD load v0 --port 8001 --wait
has 'are for --replace'
exits 2 $XD load --port 8001
has 'on which interface?'
clean
