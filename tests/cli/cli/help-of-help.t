got $XD help help; has 'usage: xdp-dedup help [VERB | counters]'; first=$output
for h in --help -h; do got $XD help $h; is "$first"; done
