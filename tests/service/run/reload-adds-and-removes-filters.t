conf '[filter feed]' 'interfaces = v0' 'port = 8001'; serve
conf '[filter other]' 'interfaces = b0' 'port = 8001'; reload
idle v0; runs b0; not $XD status feed; conf '[filter feed]' 'interfaces = v0' 'port = 8001'; reload
runs v0; idle b0; quits TERM
