$LOAD --mode skb; got $XD status v0; has 'advice      v0 runs it in skb mode'
[ $($XD status v0 --json | jq -r .advice[].key) = skb_mode ]
screen 80 24 $XD watch v0; shows ' ! v0 runs it in skb mode'; presses q; ended 0
