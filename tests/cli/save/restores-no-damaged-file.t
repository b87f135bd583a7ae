saved; $XD unload v0; printf x | dd of=$S bs=1 seek=100000 conv=notrunc
refused 'it is damaged' restore v0 $S
