plan() { bpftool -j map dump pinned $PINS/v0/config | jq '.[].formatted.value[][].config |
	.policy, .memory, .sources, .tunnels, .asked'; }
for options in '--port 9' '--profile rtp:10 --profile payload:9 --tunnels vxlan --action count' \
	'--profile a=moldudp64:9@239.1.1.1 --profile gsp:10 --paths 2 --sources 9' \
	'--port 9 --layout flat --ihave pass'; do
	$XD load v0 --capacity 10k $options; plan >/mnt/was; $XD save v0 $S; $XD unload v0
	$XD restore v0 $S; plan | diff /mnt/was -; $XD unload v0; done
