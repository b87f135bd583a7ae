conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; $XD add feed $ID_A
more 'capacity = 50k'; reload
told RELOADING=1; told MONOTONIC_USEC=; says feed capacity 50000
$XD test feed $ID_A; quits TERM; runs v0
