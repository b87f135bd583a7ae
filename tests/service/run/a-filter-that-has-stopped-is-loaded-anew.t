left() { $XD status feed --json | jq .drop_left_ns; }
conf '[filter feed]' 'interfaces = v0' 'port = 8001' 'window = 10s'; serve; $XD set feed --for 1h
p=$(prog); b=$(left)
rm $PINS/feed/timer
stopped() { says feed 'advice[0].key' stopped; }; soon stopped; reload
logs 'has stopped: it is loaded anew'; runs v0; [ $(prog) != $p ]; not stopped
[ $(left) -lt $((b - 900000000)) ]
$XD add feed $ID_A; $XD test feed $ID_A; quits TERM
