got $XD load v0 b0 --port 80; has 'xdp-dedup: note: b0 has no native XDP'
got $XD status; has '(native)'; has 'b0 (skb)'
got $XD status v0 --json; has '"mode": "mixed"'; $XD unload v0 b0
got $LOAD --mode skb; lacks note; got $XD status; has 'v0 (skb)'
