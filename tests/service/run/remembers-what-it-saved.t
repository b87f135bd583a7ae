conf '[filter feed]' 'interfaces = v0' 'port = 8001' '[service]' 'on-exit = unload' 'save = yes'
serve; $XD add feed $ID_A
quits TERM; clean; [ $(stat -c %a /mnt/state/feed.image) = 600 ]
serve; $XD test feed $ID_A; [ $(grep -c 'ids a window' /mnt/log) = 1 ]
rm /mnt/state/feed.image; quits TERM; clean; serve; $XD test feed $ID_A
says feed 'interfaces[0].name' v0; quits TERM; got cat /mnt/log; lacks 'is tried'
