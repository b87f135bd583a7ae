printf '[profile n]
layer = udp
source = payload+8:4
sequence = payload+2:2
' >/mnt/a
cat /mnt/a >/mnt/b; printf 'reset = 1s
' >>/mnt/b; N='--profiles /mnt/a --profile n:5004'
got $XD profile check /mnt/a
is 'n: OK: layer udp, 0 gates, a number of 16 bits, a source of 1 word'
got $XD size $N --sources 64
is 'sources        64, of 16.6 kB each
filter         1069184 bytes (1.1 MB)'
fails '--learn app is not for n' $XD load v0 $N --learn app
printf '[profile n]
layer = udp
sequence = payload+0:4
history = 16M
' >/mnt/c
fails 'the numbers of 1000000 sources take too much memory; lower --sources' $XD size --profiles /mnt/c --profile n:5004 --sources 1M
$XD load v0 $N --sources 64
got $XD status v0
has 'id: a source and a number, 6 bytes; history 65504 numbers, reset 20ms'
has 'sources     0 of at most 64; no fresh number is lost'
got sh -c "$XD status v0 --json | jq -c '[.sources, .sources_used, .streams[0].sequence]'"
is '[64,0,{"bits":16,"history":65504,"reset_ns":20000000,"counts_messages":false}]'
fails 'no packet of its sender has come lately' $XD add v0 000000010005
exits 3 $XD test v0 000000010005; has unknown
$XD rotate v0; $XD reset v0; $XD set v0 --action count
fails 'v0 has no memory for these streams' $XD set v0 --profiles /mnt/b --profile n:5004
has '--replace --name v0 --profiles /mnt/b --profile n:5004 makes it a new filter'
fails 'v0 has no memory for these streams' $XD set v0 --profile payload:5004 --to 2001:db8::/32,192.0.2.1 --port 8001-8003,9000 --profile mirror-l2
has '--replace --name v0 --port 8001-8003,9000 --profile payload:5004 --profile mirror-l2 --to 192.0.2.1,2001:db8::/32 makes it a new filter'
$XD save v0 /mnt/snapshot; $XD unload v0; got sh -c "$XD restore v0 /mnt/snapshot 2>&1"
has 'numbers are not saved'; lacks 'what it remembered'; $XD unload v0
