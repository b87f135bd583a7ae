printf '[profile n]
layer = udp
id = payload+8:4 payload+2:2
' >/mnt/n
$XD load v0 --profiles /mnt/n --profile a=n:9001 --profile b=n:9002 --profile c=gsp:8001
listens v0; $SEND p0 1 1 20 9001; $SEND p0 1 1 20 9002; $SEND p0 1 1; $SEND p0 1 1 20 9002
shown 4; stops; got cut -d' ' -f2-4 /mnt/out
is 'pass new a
pass new b
pass new c
drop duplicate b'
# An id is written as test takes it.
id=$(awk '$4 == "a" { print $9 }' /mnt/out); got $XD test v0/a $id; has known
exits 3 $XD test v0/b 555200000002
