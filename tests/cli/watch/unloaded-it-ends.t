$LOAD; screen 80 24 $XD watch v0; shows 'q: end'; $XD unload v0; ended 1
has 'xdp-dedup: v0 has been unloaded'; lacks packets
