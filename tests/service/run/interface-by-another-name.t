conf '[filter feed]' 'interfaces = other' 'port = 8001'; serve
ip link property add dev v0 altname other; ip link set v0 up; soon runs v0; quits TERM
