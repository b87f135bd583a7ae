$LOAD; $SEND p0 1 1; listens v0
for i in $(seq 100); do got $XD status v0; case $output in *'new    '*1*) break; esac; done
$XD want v0 ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff0001
$SEND p0 1 1; $SEND p0 1 1; shown 2; stops
got cut -d' ' -f2,3 /mnt/out; is 'pass wanted
drop duplicate'
