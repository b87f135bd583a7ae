saved; $XD unload v0; $XD restore v0 $S
refused 'has a predecessor' save v0 $S; $XD save v0 /mnt/b --forget
