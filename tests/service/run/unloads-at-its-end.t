conf '[filter feed]' 'interfaces = v0' 'port = 8001' '[service]' 'on-exit = unload'; serve; runs v0
quits TERM; idle v0; clean
