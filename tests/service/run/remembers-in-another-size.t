conf '[filter feed]' 'interfaces = v0' 'port = 8001' 'capacity = 10k' '[service]' 'on-exit = unload' 'save = yes'
serve
$XD add feed $ID_A; quits TERM; sed -i s/10k/70k/ /mnt/conf; serve
says feed capacity 70000; $XD test feed $ID_A; quits TERM
