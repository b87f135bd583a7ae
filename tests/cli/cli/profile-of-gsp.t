# as --port
$XD load v0 --profile gsp:8001@10.0.0.1; got $XD status; has 'GSP/1'; has 'UDP port 8001'
$XD unload v0; $XD load v0 --profile gsp:8001 --window 1h; $XD add v0 $ID_A
