$LOAD; listens v0 --new; $SEND p0 1 3; $SEND p0 1 3; $SEND p0 9 1; shown 4; stops
got cut -d' ' -f2,3 /mnt/out; is 'pass new
pass new
pass new
pass new'
