rmdir /mnt/state; conf '[filter feed]' 'interfaces = v0' 'port = 8001' '[service]' 'save = yes'
serve; quits TERM
[ $(stat -c %a /mnt/state) = 700 ]; [ -s /mnt/state/feed.image ]
