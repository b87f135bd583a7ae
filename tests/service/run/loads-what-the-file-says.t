conf '[filter feed]' 'interfaces = v0' 'port = 8001' 'capacity = 30k' 'window = 1m' 'action = count'
serve; runs v0
says feed capacity 30000; says feed window_ns 60000000000; says feed action count
told 'STATUS=feed: v0$'; logs '^feed: v0$'; quits TERM; runs v0; $XD unload v0
