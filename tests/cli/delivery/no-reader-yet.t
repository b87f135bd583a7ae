$LOAD --deliver xsk; got $XD status
has '
  delivery    fresh packets go to AF_XDP sockets; 12.6 MB
'
has '
  delivered                     0   0.00 %  fresh packets that went to'
for c in 'no_socket ' 'no_room   ' 'too_large '; do
	has "
  $c                    0   0.00 %  "; done; lacks '
  socket '
[ "$($XD status v0 --json | jq -c .sockets)" = '[]' ]
$XD unload v0; got $LOAD; lacks AF_XDP
