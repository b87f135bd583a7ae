# But not what was handed over.
is_delivered() { $XD status v0 --json | jq -c '[.streams[].deliver], .delivery_bytes'; }
for to in xsk xsk:b,c stack; do
	$XD load v0 --profile a=payload:9 --profile b=gsp:10 --profile c=gsp:11 \
		--capacity 10k --window 60s --deliver $to; was=$(is_delivered)
	$XD save v0 /mnt/s; $XD unload v0; $XD restore v0 /mnt/s
	[ "$(is_delivered)" = "$was" ]; $XD unload v0; done
