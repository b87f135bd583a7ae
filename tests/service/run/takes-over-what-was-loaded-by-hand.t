conf '[filter feed]' 'interfaces = v0' 'port = 8001' 'capacity = 30k'
$XD load v0 --name feed --port 8001,8002
$XD add feed $ID_A; serve; says feed capacity 30000; says feed 'ports|length' 1
$XD test feed $ID_A; quits TERM
