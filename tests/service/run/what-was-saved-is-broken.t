conf '[filter feed]' 'interfaces = v0' 'port = 8001' '[service]' 'on-exit = unload' 'save = yes'
serve; quits TERM
truncate -s 5000 /mnt/state/feed.image; serve; runs v0; quits TERM
