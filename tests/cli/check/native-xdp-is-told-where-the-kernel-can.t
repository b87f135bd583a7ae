asked 0 v0 b0; case $(uname -r) in
6.1.*) says driver v0 'unknown: driver veth; whether it has native XDP cannot be told'
	asked 0 b0 --mode native; says driver b0 'unknown: ';;
*) says driver v0 'ok: driver veth: native XDP, frags, redirect'
	says driver b0 'note: b0 has no native XDP (Operation not supported): skb mode is'
	asked 1 b0 --mode native; says driver b0 'problem: cannot attach to b0 in native'
	same b0 --port 80 --mode native; asked 0 v0 --mode native
	asked 1 v0 --mode hw; fails 'cannot attach to v0 in hw' $XD load v0 --port 80 --mode hw;; esac
asked 0 b0 --mode skb; says driver b0 'ok: '
