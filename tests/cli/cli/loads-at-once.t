for i in 1 2 3 4; do $LOAD & $XD load p0 --port 80; wait $!
	$XD status v0; $XD status p0; $XD unload v0 p0; clean
done
