# A later file replaces what earlier ones have.
mount -t tmpfs none /etc; P=/etc/xdp-dedup/profiles; mkdir -p $P
got $XD profile list; lacks mine; printf '[profile mine]
layer = ip
id = packet
use = site
[profile rtp]
layer = udp
id = payload
window = 3s
' >$P/b.ini
echo nonsense >$P/a.txt; echo nonsense >$P/.ini
got $XD profile list; has '
mine             site         '
got $XD size --json --profile rtp; has '"window_ns": 3000000000,'
got sh -c "$XD profile list --json | jq -c '.profiles[] | select(.builtin | not) | [.name,.use]'"; is '["rtp",null]
["mine","site"]'
printf '[profile mine]
layer = udp
id = payload
window = 4s
' >/mnt/a
got $XD profile check /mnt/a; is 'mine: OK: layer udp, 0 gates, an id of 1 word'
got $XD size --json --profiles /mnt/a --profile mine:9; has '"window_ns": 4000000000,'
cp /mnt/a $P/c.ini; fails "$P/c.ini:1:1: there is a profile mine already" $XD size --profile rtp
echo nonsense >$P/c.ini; fails "$P/c.ini:1:1: a line is" $XD profile list
rm -r $P; touch $P; fails "cannot read $P: Not a directory" $XD profile list
umount /etc; $XD profile list >/mnt/a
