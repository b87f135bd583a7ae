exits 1 $XD run --config /proc/self/mem; has 'cannot read it to its end'
conf '[filter feed]' 'interfaces = v0' 'port = 8001' 'profiles = /proc/self/mem' 'profile = rtp:1' '[filter b]'
start; exited 1
logs 'mem: Input/output error'
