by_bytes
$XD load v0 --replace; known $XD
$XD set v0 --action count; known $XD
fails 'v0 has no memory for these streams: xdp-dedup load --replace --name v0 --profile rtp:5004 makes it a new filter' $XD set v0 --profile rtp:5004; known $XD
$XD resize v0 --capacity 20k; known $XD
got $XD status v0; has 'id: 10 bytes'; lacks 'a number'
$XD unload v0
