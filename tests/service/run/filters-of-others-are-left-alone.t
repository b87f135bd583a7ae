$XD load b0 --port 1
conf '[filter feed]' 'interfaces = v0' 'port = 8001' '[service]' 'on-exit = unload'; serve; reload
quits TERM; idle v0; runs b0
