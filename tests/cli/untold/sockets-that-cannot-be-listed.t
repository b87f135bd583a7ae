# With readers of zero-copy sockets, detaching does harm; 2: the kernel never tells.
for err in 1 12 24 105; do $LOAD; got $WITHOUT sockets $err $XD unload v0
has 'note: v0 keeps a program that passes all packets, as applications may have zero-'
runs v0; fails 'applications have zero-copy sockets on v0, of a filter' $WITHOUT sockets $err $LOAD
$LOAD; $XD unload v0; idle v0; done
$LOAD; got $WITHOUT sockets 2 $XD unload v0; is ''; idle v0; clean
