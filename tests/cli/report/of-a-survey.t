$XD replay $D/feeds.pcapng --json --html $D/page.html >$D/json; dom $D/page.html
shows feeds.pcapng; shows "$(number .packets)"; shows "sudo $(jq -r .advice.load $D/json)"
shows "drop $(number .advice.drops) of $(number .packets) packets"
jq -r '.destinations[].name, .sources[].address' $D/json >$D/names
[ $(wc -l <$D/names) -gt 2 ]; while read -r name; do shows "$name"; done <$D/names
[ "$(number '[.destinations[].identical.packets] | add')" = "$(number '.timeline.duplicates | add')" ]
[ $(number '[.ages[][1]] | add') = $(number '.timeline.duplicates | add') ]
[ "$(grep -c '<rect' $D/dom)" -gt 0 ]; shows 'Over time'; shows 'After how long copies come'
