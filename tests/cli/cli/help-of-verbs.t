# Every option that a verb parses, and none else; asked for in any way, and of whatever.
options='name mode port profile profiles capacity fpr window action learn to forwarded ihave layout hash bits hashes index-bits
countdown-bits ids fill rounds copies warm json all exact verbose'
for v in load unload status refresh rotate reset add test remove want size profile; do
	got $XD $v --help; has "usage: xdp-dedup $v"; first=$output
	for o in $options; do case $o in name) word='--name=' ;; *) word=--$o=; esac
		code=0; text=$($XD $v $word 2>&1) || code=$?
		case $text in *'does not take'*) lacks "
  --$o " ;; *) has "
  --$o "; esac
	done
	for words in '-h' 'x y -h' 'x --help --frob'; do
		got env XDP_DEDUP_WINDOW=x $XD $v $words; is "$first"; done
	got $XD help $v; is "$first"
done; got $XD load --help; has 'XDP_DEDUP_WINDOW sets the default of --window'
exits 1 $XD test nope -- $ID_A
