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
got $XD load --replace --name v0 --profile rtp:5004
has 'what stream rtp knew is forgotten'
got $XD status v0; has 'id: a source and a number, 6 bytes'
exits 3 $XD test v0 0000000a0001; has unknown
fails 'give 12 hex digits' $XD test v0 00112233445566778899
$XD unload v0
