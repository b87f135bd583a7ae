$XD load v0 --profile payload:9; $XD save v0 $S; $XD unload v0; $XD load v0 --profile payload:9
refused 'has other streams or digests' restore v0 $S
