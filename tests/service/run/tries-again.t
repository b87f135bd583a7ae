ip link set v0 xdp pinned $OTHER; conf '[filter feed]' 'interfaces = v0' 'port = 8001'; start
told READY=1
logs 'is tried again in 5 s'; told 'is tried again on v0'; ip link set v0 xdp off
soon $XD status feed; told 'STATUS=feed: v0'; quits TERM
