exits 2 $XD save v0; has usage
