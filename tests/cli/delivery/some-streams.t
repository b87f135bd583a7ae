$XD load v0 --profile one=gsp:8001 --profile two=gsp:8002 --profile three=gsp:8003 \
	--deliver xsk:three,one; got $XD status
has '
  delivery    fresh packets of one, three go to AF_XDP sockets; 12.6 MB
'
of=$(echo "$output" | sed -n 's/.*of stream \([a-z]*\).*/\1/p; s/^  delivered .*/+/p')
[ "$(echo $of)" = '+ one + two three +' ]
[ $($XD status v0 --json | jq -r '[.streams[].deliver] | join(",")') = xsk,stack,xsk ]
