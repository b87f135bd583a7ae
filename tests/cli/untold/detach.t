# The next command detaches.
$LOAD; fails 'cannot detach a program that passes all' $WITHOUT 34 12 $XD unload v0
runs v0; got $XD status; has 'no filter'; $XD refresh; idle v0; clean
