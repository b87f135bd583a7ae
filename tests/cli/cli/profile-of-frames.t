printf '[profile goose]
layer = ethernet
ethertype = 0x88b8
id = frame+6:6 frame:99
' >/mnt/a
$XD load v0 --profiles /mnt/a --profile goose --capacity 10k
got $XD status v0; has 'frames of EtherType 0x88b8; realm 0; id: 6 bytes and a digest of the frame'
got sh -c "$XD status v0 --json | jq -r '.streams[0].digest'"; is frame
$XD save v0 /mnt/snapshot; $XD unload v0; $XD restore v0 /mnt/snapshot
got $XD status v0; has 'a digest of the frame'; $XD unload v0
