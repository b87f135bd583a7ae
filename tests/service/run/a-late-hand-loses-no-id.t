conf '[filter feed]' 'interfaces = v0' 'port = 8001' 'window = 60s'; serve; p=$(prog)
$XD add feed $ID_A
$LATE 60000000000; stopped() { says feed 'advice[0].key' stopped; }; soon stopped
$LATE 1500000000; reload; got cat /mnt/log; lacks stopped; [ $(prog) = $p ]; not stopped
$XD test feed $ID_A; quits TERM
