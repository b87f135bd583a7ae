# A filter that is to deliver from now on gets the notes of a new one; once.
delivers() { $XD status v0 --json |
	jq -e "(.sockets != null) == $1 and (.delivery_bytes > 0) == $1"; }
$LOAD --mode skb; delivers false; got $XD set v0 --deliver xsk
has 'note: v0 delivers in skb mode: '; delivers true
got $XD set v0 --action count; is ''; delivers true
$XD resize v0 --capacity 2M; delivers true; $XD load v0 --replace --forget; delivers true
$XD set v0 --add p0 --deliver stack; delivers false
$XD set v0 --remove p0 --deliver xsk:gsp; delivers true
exits 2 $XD set v0 --deliver xsk:rtp; has '--deliver xsk:rtp: there is no stream rtp'
