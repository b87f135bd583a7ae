$LOAD; listens v0 --drops; $SEND p0 1 3; $SEND p0 2 2; shown 2; stops
got cut -d' ' -f2,3 /mnt/out; is 'drop duplicate
drop duplicate'
