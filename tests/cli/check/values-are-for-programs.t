asked 0 v0 --capacity 2K; values kernel - "{\"kernel_release\":\"$(uname -r)\"}"
values jit - '{"jit":true}'; values size - '{"capacity_ids":2000,"window_ns":600000000000}'
values mtu v0 '{"mtu_bytes":1500,"one_buffer_mtu_bytes":3498}'
values lro v0 '{"lro":false}'; values stacking - '{}'; values driver v0 '"driver":"veth"'
values memory - "$($XD size --json --capacity 2K | jq .filter_bytes),\"available_bytes"
values links - "{\"interfaces\":$(ip -o link | wc -l)}"; values window - '{}'
values dispatcher - '{}'
case $(uname -r) in 6.1.*) ;; *) values driver v0 '"native_xdp":true,"xdp_frags":true,"xdp_redirect":true,"xdp_zero_copy":false,"xdp_offload":false'
	asked 0 b0; values driver b0 '"native_xdp":false,"xdp_frags":false'; esac
asked 0 v0 --profile payload:80; values window - '{"fitting_window_ns":1000000000}'
