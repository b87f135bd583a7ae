$LOAD; flows 4; $XD watch v0 --count 3 --every 500ms >/mnt/out; got head -n 1 /mnt/out
has packets/s; [ $(wc -l </mnt/out) = 4 ]; got awk '{ print NF }' /mnt/out; is '9
9
9
9'
rates() { $XD watch v0 --count 3 --every 500ms >/mnt/out
	awk 'NR > 1 && !($1 > 100 && $4 > 70 && $4 < 80 && $5 > 3.5 && $5 < 4.5 && $6 > 75 && $9 == 100) { exit 1 }' /mnt/out
	}; soon rates
$XD watch --count 30 --every 100ms >/mnt/out; [ $(grep -c packets/s /mnt/out) = 2 ]
got tail -n 1 /mnt/out; has 'v0   '; got awk '{ print NF }' /mnt/out; has 10; lacks 9
$XD unload v0; got $XD watch --count 2 --every 100ms; is ''
