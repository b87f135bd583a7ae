conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; $XD resize feed --capacity 40k
$XD rotate feed; $XD add feed $ID_A
$XD load b0 --port 1; $XD unload b0; $XD refresh; quits TERM
