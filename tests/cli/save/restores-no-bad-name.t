exits 2 $XD restore v0.1 $S; has "a filter's name is"
