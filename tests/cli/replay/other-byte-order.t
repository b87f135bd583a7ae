made feeds; printf '[profile m]\nlayer = udp\nsource = payload+0:10\nsequence = payload+10:8le
count = payload+18:2le\n' >$D/m.ini
set -- --profiles $D/m.ini --profile a=m:26400@239.0.0.1#f --profile b=m:26400@239.0.0.2#f
replay feeds "$@" >$D/out; [ $(grep -c '^  misread ' $D/out) = 2 ]
grep '^misread: read big-endian, [0-9]* of [0-9]* copies would be found$' $D/out
replayed feeds '.other_order == "big" and .other_found > 1000 and
	.other_found == .other_copies and .streams[0].misread' "$@"
sed -i 's/\([82]\)le$/\1/' $D/m.ini; got replay feeds "$@"; lacks misread
replayed feeds '.other_order == "none" and .other_found == 0' "$@"
