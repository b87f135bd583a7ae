printf '[profile rtp]
layer = udp
require = payload+0:1/0xc0 == 0x80
exempt = payload+1:1/0xe0 == 0xc0
id = payload+2:10
window = 1h
fpr = 1e-9
' >/mnt/old
$XD load v0 --profiles /mnt/old --profile rtp:5004 --capacity 10k
known() { got $1 test v0 00112233445566778899; has known; }
$XD add v0 00112233445566778899
$XD load v0 --replace; known $XD
$XD set v0 --action count; known $XD
fails 'v0 has no memory for these streams: xdp-dedup load --replace --name v0 --profile rtp:5004 makes it a new filter' $XD set v0 --profile rtp:5004; known $XD
$XD resize v0 --capacity 20k; known $XD
got $XD status v0; has 'id: 10 bytes'; lacks 'a number'
$XD unload v0
