for f in - $D/p; do error 2 write $D/mesh.pcapng --port 8001 --write-passed $f --write-dropped $f
	[ ! -s $D/out ]; done
