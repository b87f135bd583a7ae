conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; for i in 1 2 3 4 5 6; do conf '[service]' 'filters = none'; kill -HUP $s; sleep 0.0$i
	conf '[filter other]' 'interfaces = b0' 'port = 8001'; kill -HUP $s; sleep 0.1$i
	conf '[filter feed]' 'interfaces = v0' 'port = 8001'; kill -HUP $s; sleep 0.0$i; done
more 'capacity = 50k'; kill -HUP $s; soon says feed capacity 50000; soon idle b0
soon runs v0; says feed action drop; quits TERM
