printf '[profile n]
layer = udp
id = payload+8:4 payload+2:2
' >/mnt/n
$XD load v0 --profiles /mnt/n --profile a=n:9001 --profile b=n:9002 --profile c=gsp:8001
listens v0/b; for port in 9001 9002 8001; do $SEND p0 1 1 20 $port; $SEND p0 1 1 20 $port; done
shown 2; sleep 0.3; stops; has 'listening to v0/b, at most 10'
got cut -d' ' -f2-4 /mnt/out; is 'pass new b
drop duplicate b'
fails 'v0 has no stream x; it has a, b, c' $XD sample v0/x
