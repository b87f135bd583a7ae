conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve; export RUNTIME_DIRECTORY=/mnt/run
fails "conf: process $s is the service of a file of this name already" $XD run --config /mnt/conf
runs v0; cp /mnt/conf /mnt/other.conf; sed -i 's/feed/other/; s/v0/b0/' /mnt/other.conf
$XD run --config /mnt/other.conf >/mnt/said 2>&1 & x=$!; soon runs b0; kill $x; wait $x; x=
kill -9 $s; exited 137; serve; quits TERM
