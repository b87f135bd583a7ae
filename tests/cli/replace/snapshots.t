$LOAD --capacity 100
for i in $(seq 100); do $XD add v0 $(printf %064d $i); done
$XD add v0 $ID_A
$XD save v0 /mnt/snapshot
$XD unload v0
$NEXT restore v0 /mnt/snapshot
got $NEXT test v0 $ID_A
$NEXT save v0 /mnt/next --forget
$NEXT unload v0

# The next format's head is longer by 128 bytes. They are 0, not the ids that stood there.
head_bytes() { od -A n -t u8 -j 24 -N 8 $1; }
head=$(head_bytes /mnt/snapshot)
[ $(head_bytes /mnt/next) -eq $((head + 128)) ]
beyond() { tail -c +$((head + 1)) $1 | head -c 128 | tr -d '\0' | wc -c; }
[ $(beyond /mnt/snapshot) -gt 0 ]
[ $(beyond /mnt/next) -eq 0 ]
fails 'restore it by the one that saved it' $XD restore v0 /mnt/next
clean
