$XD refresh; fails 'no filter v0; xdp-dedup status lists' $XD refresh v0
