$XD load v0 p0 --port 8001; flows 4; screen 80 24 $XD watch v0
shows ' v0  *[0-9][0-9.]*[ kM]*/s  native'; shows ' p0  *[0-9][0-9.]*[ kM]*/s  native'
