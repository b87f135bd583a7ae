for how in drop pass; do
$LOAD --ihave $how; listens v0; $SEND p0 1 1; $SEND p0 1 1 0 8001 2; shown 2
stops; got cut -d' ' -f2,3 /mnt/out; is "pass new
$how ihave_duplicate"
listens v0 --drops; $SEND p0 1 1 0 8001 2; $SEND p0 1 1
case $how in pass) shown 1;; drop) shown 2;; esac; stops
got cut -d' ' -f2,3 /mnt/out; case $how in pass) is 'drop duplicate';;
drop) is 'drop ihave_duplicate
drop duplicate';; esac; $XD unload v0; done
