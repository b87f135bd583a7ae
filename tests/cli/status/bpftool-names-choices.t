$XD load v0 --profile discv4 --tunnels vxlan --layout flat --hash siphash --action count
got sh -c "bpftool -j map dump pinned $PINS/v0/config | jq -c '.[].formatted.value[][]
	.config | [.memory.layout, .memory.hash, .policy.action, .policy.receiver,
	.policy.frames, .tunnels.ports[0].kind],
	(.policy.streams[:.policy.streams_cnt][] | [.layer, .decoder, .digest,
	(.gates[0].load | .base, .form)])'"
is '["DEDUP_FLAT","DEDUP_SIPHASH","DEDUP_COUNT","DEDUP_ONE_INTERFACE","DEDUP_FRAMES_INSIDE","DEDUP_TUNNEL_vxlan"]
["DEDUP_UDP","DEDUP_FIELDS","DEDUP_DIGEST_PAYLOAD","DEDUP_PAYLOAD","DEDUP_MASKED"]'
