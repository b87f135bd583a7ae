$LOAD --mode skb; asked 1 v0; says running - 'note: v0 runs it in skb mode'
asked 0 p0; ! says running - note
