# Asked at any moment, it tells of every filter that there is, or not yet.
touch /mnt/a
{ for i in $(seq 12); do $LOAD && $XD unload v0 || break; done; rm /mnt/a; } >/mnt/b 2>&1 &
while [ -e /mnt/a ]; do got $XD status; done; wait; idle v0
