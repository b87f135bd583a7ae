$LOAD --capacity 10k
$XD add v0 $ID_A
$XD save v0 /mnt/snapshot
$XD unload v0
$NEXT restore v0 /mnt/snapshot
got $NEXT test v0 $ID_A
$NEXT save v0 /mnt/next --forget
$NEXT unload v0
fails 'restore it by the one that saved it' $XD restore v0 /mnt/next
clean
