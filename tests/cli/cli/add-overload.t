# more than fit are all taken in: the window gets shorter
$LOAD --capacity 1 --window 1h; $XD add v0 - </mnt/ids >/mnt/a
[ $(grep -c ' new$' /mnt/a) -gt 1990 ]; $XD unload v0
$LOAD --capacity 100 --window 1h; $XD add v0 - </mnt/ids >/mnt/a
[ $(grep -c ' new$' /mnt/a) -gt 1990 ]; got $XD status v0; has 'estimate    '
[ $(echo "$output" | sed -n 's/.*estimate *\([0-9]*\) ids.*/\1/p') -lt 500 ]
