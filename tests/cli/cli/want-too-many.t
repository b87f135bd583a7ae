$LOAD; seq -f %064.0f 4097 >/mnt/a; $XD add v0 - </mnt/a >/mnt/b
fails 'is one too many' $XD want v0 - </mnt/a
$XD want v0 - </mnt/a >/mnt/b || [ $(grep -c ' wanted$' /mnt/b) = 4096 ]
