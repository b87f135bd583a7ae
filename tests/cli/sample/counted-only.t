$LOAD --action count; listens v0 --drops; $SEND p0 1 1; $SEND p0 1 1
shown 1; stops; got cut -d' ' -f2,3 /mnt/out; is 'pass duplicate'
