$LOAD; ip link set v0 name w0; fails 'v0 runs no filter' $XD unload v0; runs w0
 $XD unload --name v0; idle w0; clean
