conf '[filter feed]' 'interfaces = v0' 'port = 8001' 'capacity = 1M' '[service]' 'on-exit = unload' 'save = yes'
serve; $XD add feed $ID_A
quits TERM; echo MemAvailable: 12000 kB >/mnt/free; mount -B /mnt/free /proc/meminfo
serve; umount /proc/meminfo; logs 'goes on with it, takes 16.2 MB, and 12.3 MB of memory'
runs v0; not $XD test feed $ID_A; quits TERM
