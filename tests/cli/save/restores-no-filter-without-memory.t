$LOAD --capacity 1M; $XD save v0 $S; $XD unload v0; free 12000
refused 'of memory are free' restore v0 $S
