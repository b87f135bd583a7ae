conf '[filter late]' 'interfaces = x0' 'port = 8001' '[filter feed]' 'interfaces = v0' 'port = 8001'
serve
told 'late: waits for x0; feed: v0'; not $XD status late; runs v0
ip link add x0 group 7 type veth peer name x1 group 7; soon runs x0
told 'late: x0; feed: v0'; quits TERM; $XD status late >/mnt/said
