$LAST load v0 --port 8001 --capacity 10k; $LAST add v0 $ID_A
$LAST save v0 /mnt/snapshot; $LAST unload v0
$XD restore v0 /mnt/snapshot; got $XD test v0 $ID_A
ends
