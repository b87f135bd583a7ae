conf '[filter feed]' 'interfaces = v0' 'port = 8001' '[service]' 'on-exit = unload'; for i in 0 1 2 3 4 5; do
	start; sleep 0.$i; kill -TERM $s; code=0; wait $s || code=$?; s=; [ $code = 0 ] || [ $code = 143 ]
	$XD unload --all; clean; done
