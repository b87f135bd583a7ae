$XD load v0 --port 9000; flows 2; until $XD status v0 | grep 'advice      none of'; do sleep 0.3; done
got $XD watch v0 --count 3 --every 200ms; has 'note: v0: none of '; has '--port PORTS'
[ $(echo "$output" | grep -c note) = 1 ]
[ $($XD status v0 --json | jq -r .advice[0].key) = all_ignored ]
$XD set v0 --port 8001; gone() { sleep 0.3; ! $XD status v0 | grep advice; }; soon gone
