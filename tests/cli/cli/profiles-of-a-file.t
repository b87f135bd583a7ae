# Files may be named before or after what uses them.
printf '[profile mine]
about = my own
layer = udp
id = payload+0:4
window = 2s
[profile rtp]
layer = udp
id = payload
window = 3s
' >/mnt/a
printf '[profile other]
layer = ip
id = packet
learn = app
' >/mnt/b
got $XD profile check /mnt/a; is 'rtp: OK: layer udp, 0 gates, an id of 1 word
mine: OK: layer udp, 0 gates, an id of 1 word'
got $XD profile list --profiles /mnt/a; has 'mine             -            my own'
got $XD profile show rtp --profiles /mnt/a; is '[profile rtp]
layer = udp
id = payload
window = 3s'
got $XD size --json --profile mine --profiles /mnt/b --profiles /mnt/a
has '"window_ns": 2000000000,'
got $XD size --json --profiles /mnt/a --profile rtp; has '"window_ns": 3000000000,'
fails '/mnt/a:1:1: there is a profile mine already' $XD profile list --profiles /mnt/a --profiles /mnt/a
exits 2 $XD load v0 --profile other --profiles /mnt/b
has 'the stream other needs --learn app: its profile says why'
$XD load v0 --profile other --profiles /mnt/b --learn app
exits 2 $XD set v0 --learn kernel; has 'the stream other needs --learn app'
$XD set v0 --profile other --profiles /mnt/b; $XD unload v0
printf '[profile a]
layer = udp
id = x
' >/mnt/a
exits 2 $XD load v0 --profile a:80 --profiles /mnt/a
has 'xdp-dedup: /mnt/a:3:6: a field begins with'
