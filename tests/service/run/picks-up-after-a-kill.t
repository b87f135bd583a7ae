conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; $XD add feed $ID_A; p=$(prog)
kill -9 $s; exited 137; [ $(prog) = $p ]; $XD test feed $ID_A
serve; [ $(prog) = $p ]; $XD test feed $ID_A; quits TERM
