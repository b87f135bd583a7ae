conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; $XD add feed $ID_A; p=$(prog)
quits TERM; [ $(prog) = $p ]; serve; [ $(prog) = $p ]; $XD test feed $ID_A
quits INT; [ $(prog) = $p ]; got cat /mnt/log; lacks replaced
