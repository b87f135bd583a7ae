fails '--port is missing' $XD load v0 --replace
clean
$XD load v0 --replace --port 8001
runs v0
for o in '' '--port 8001' v0; do
	fails 'there is no filter other; xdp-dedup status' $XD load --name other --replace $o
done
