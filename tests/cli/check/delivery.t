asked 0 v0; says delivery - 'ok: fresh packets go to the stack'; says redirect v0 'ok: fresh'
asked 0 v0 --deliver xsk; says delivery - 'ok: this kernel has AF_XDP sockets; the maps for them take 12.6 MB'; values delivery - '{"delivery_bytes":12591104}'
case $(uname -r) in 6.1.*) says redirect v0 'unknown: ';;
*) says redirect v0 'ok: packets can go to AF_XDP sockets: they are copied'
	asked 0 b0 --deliver xsk; says redirect b0 'note: b0 delivers in skb mode: ';; esac
asked 0 v0 --deliver xsk --mode skb; notes_of redirect v0 --port 80 --deliver xsk --mode skb
asked 1 v0 --deliver xsk --mode hw; says redirect v0 'problem: v0 has no AF_XDP sockets in hw mode'; has '-> --mode native'
fails 'v0 has no AF_XDP sockets in hw mode' $XD load v0 --port 80 --deliver xsk --mode hw; clean
asked 0 v0 --profile a=gsp:1 --profile b=gsp:2 --deliver xsk:b; says delivery - 'take 12.6 MB'
