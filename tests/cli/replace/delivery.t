# Which streams are delivered stays what it was, and so do the maps of sockets.
delivered() { $1 status v0 --json | jq -r '[.streams[].deliver] | join(",")'; }
maps() { for m in xsks queues sockets in_flight; do
	bpftool map show pinned $PINS/v0/$m -j | jq .id; done; }
$XD load v0 --profile a=gsp:1 --profile b=gsp:2 --profile c=gsp:3 --deliver xsk:c,a
[ $(delivered $XD) = xsk,stack,xsk ]; maps=$(maps)
$XD load v0 --replace; [ $(delivered $XD) = xsk,stack,xsk ]; [ "$maps" = "$(maps)" ]
# By name, wherever the stream is now.
$XD load v0 --replace --profile b=gsp:2 --profile c=gsp:3 --profile d=gsp:4
[ $(delivered $XD) = stack,xsk,stack ]; [ "$maps" = "$(maps)" ]
fails 'there is no stream a' $XD load v0 --replace --deliver xsk:a
$XD load v0 --replace --deliver xsk; [ $(delivered $XD) = xsk,xsk,xsk ]
$XD save v0 /mnt/snapshot; $XD load v0 --replace --capacity 20k
[ $(delivered $XD) = xsk,xsk,xsk ]; [ "$maps" = "$(maps)" ]
$NEXT load v0 --replace --forget; [ $(delivered $NEXT) = xsk,xsk,xsk ]
[ "$maps" = "$(maps)" ]
$NEXT load v0 --replace --deliver stack; [ $(delivered $NEXT) = stack,stack,stack ]
[ ! -e $PINS/v0/xsks ]; $NEXT unload v0
$NEXT restore v0 /mnt/snapshot; [ $(delivered $NEXT) = xsk,xsk,xsk ]; $NEXT unload v0
