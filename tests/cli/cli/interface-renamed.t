$LOAD; ip link set v0 name w0; got $XD status; has 'interfaces  w0 (native)
'
$XD unload w0; idle w0; clean
