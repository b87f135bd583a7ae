conf '[filter feed]' 'interfaces = v0' 'port = 8001' '[service]' 'save-every = 2s'; serve
f=/mnt/state/feed.image
for i in $(seq 20); do reload; sleep 0.3; [ ! -s $f ] || break; done; test -s $f; quits TERM
