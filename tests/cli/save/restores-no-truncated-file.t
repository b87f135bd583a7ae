saved; $XD unload v0; truncate -s -1 $S; refused 'it is truncated' restore v0 $S
