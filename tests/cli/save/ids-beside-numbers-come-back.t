# Numbers are not saved; what applications know beside them is.
id=0101010101010101010101010101010101010101010101010101010101010101
$XD load v0 --profile moldudp64:9@239.1.1.1 --profile gsp:10 --capacity 10k; $XD add v0/gsp $id
$XD save v0 $S; $XD unload v0; $XD restore v0 $S; $XD test v0/gsp $id
exits 3 $XD test v0/moldudp64 000102030405060708090000000000000001
