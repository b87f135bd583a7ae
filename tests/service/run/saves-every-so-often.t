conf '[filter feed]' 'interfaces = v0' 'port = 8001' '[service]' 'save-every = 1s'; serve
soon test -s /mnt/state/feed.image
a=$(stat -c %i /mnt/state/feed.image)
again() { [ $(stat -c %i /mnt/state/feed.image) != $a ]; }; soon again; quits TERM
