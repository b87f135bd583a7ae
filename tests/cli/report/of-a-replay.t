$XD replay $D/feeds.pcapng $(cat $D/feeds.options) --json --html $D/page.html >$D/json
dom $D/page.html; shows Verdicts; shows "$(number '.streams[0].counters.duplicate')"
[ $(jq '.streams[0].timeline.duplicates | add' $D/json) = $(jq '.streams[0].counters.duplicate' $D/json) ]
[ $(jq '[.streams[0].ages.histogram[][1]] | add' $D/json) -gt 0 ]
