conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; $XD add feed $ID_A
conf '[filter feed]' 'interfaces = v0 b0' 'port = 8001,8003' 'action = count' 'ihave = pass'
reload; says feed 'ports|length' 2; says feed action count; runs b0
$XD test feed $ID_A; conf '[filter feed]' 'interfaces = v0' 'port = 8001'; reload
says feed 'ports|length' 1; idle b0
says feed action drop; $XD test feed $ID_A; quits TERM
