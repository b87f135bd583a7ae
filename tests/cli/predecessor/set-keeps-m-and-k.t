$LOAD --layout flat --hash fips --bits 33554432 --hashes 12; $XD set v0 --action count
$XD unload v0
$LOAD --layout countdown --index-bits 20 --countdown-bits 5; $XD set v0 --ihave pass
got $XD status v0 --json; has '"index_bits": 20'; has '"countdowns": 31'
