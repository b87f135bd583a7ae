conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve
ip link set v0 address 02:00:00:00:00:99
fresh() { ! $XD status feed | grep -q refresh; }; soon fresh; quits TERM
