[ "$($XD profile list | cut -d' ' -f1 | sort)" = "$(cd user/spec/profiles; ls *.ini | sed 's/.ini$//' | sort)" ]
got $XD profile list; has 'moldudp64        market data  MoldUDP64 market data, A and B'
[ "$($XD profile list | cut -c18-29 | uniq)" = "$($XD profile list | cut -c18-29 | sort -u)" ]
[ "$($XD profile list --json | jq -r '.profiles[].name')" = "$($XD profile list | cut -d' ' -f1)" ]
got sh -c "$XD profile list --json | jq -c '.profiles[] | [.name, .layer, .words, .sequence_bits, .window_ns, .fpr, .builtin]'"
has '["payload","udp",1,0,1000000000,1e-06,true]'
has '["rtp","udp",2,16,null,null,true]'
for p in $($XD profile list | cut -d' ' -f1); do $XD profile show $p >/mnt/a
	grep -q "^\[profile $p\]" /mnt/a; grep -q '; Duplicate:' /mnt/a
	grep -q '; Forger:' /mnt/a; grep -q '; A false positive:' /mnt/a
# A copy of a profile may take the profile's place; except gsp's.
	[ $p = gsp ] || { got $XD profile check /mnt/a; has "$p: OK: layer "; }; done
$XD profile show gsp >/mnt/a; fails '/mnt/a:1:1: gsp stays' $XD profile check /mnt/a
