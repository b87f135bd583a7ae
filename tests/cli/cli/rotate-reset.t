$LOAD --capacity 10M --window 1h; $XD add v0 $ID_A
timeout 20 $XD rotate v0; got $XD test v0 $ID_A
is '00000000000000000000000000000000000000000000000000000000000000aB known'
timeout 20 $XD rotate v0; exits 3 $XD test v0 $ID_A
is '00000000000000000000000000000000000000000000000000000000000000aB unknown'
$XD add v0 $ID_B; timeout 20 $XD reset v0; exits 3 $XD test v0 $ID_B
is '00000000000000000000000000000000000000000000000000000000000000bb unknown'; got $XD status v0
has 'estimate    0 ids'; has 'of turn 5;'
