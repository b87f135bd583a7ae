$LOAD
got $XD load --replace v0 --mode skb
has 'v0 runs on v0 in native mode, which a change keeps'
got $XD status v0; has 'v0 (native'
