$LOAD --for 1h; listens v0 --drops; $SEND p0 1 1; $SEND p0 1 1; shown 1
$OVER v0; until $XD status v0 | grep -q 'dropping    ended'; do :; done
$SEND p0 1 1; shown 2; stops; got cut -d' ' -f2,3 /mnt/out
is 'drop duplicate
pass duplicate'
