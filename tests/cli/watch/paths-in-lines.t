paths; got $XD watch v0 --count 5 --every 1s; has ' b v0 '; has ' -       -
'
[ $(echo "$output" | grep -c '^  [^ ]* a v0 .*/s  first .* %  lost [1-9]') -ge 2 ]
got $XD watch v0 --json --count 2 --every 2s; echo "$output" | tail -n 1 >/mnt/out
jq -e '.senders | length == 1' /mnt/out; jq -e '.senders[0] | .lost > 10 and
	.messages_per_s > 500 and (.paths | length) == 2' /mnt/out
jq -e '.senders[0].paths | (map(.first_share) | add - 1 | fabs) < 0.001 and
	all(.packets_per_s > 100 and .received_per_s > .packets_per_s)' /mnt/out
jq -e '.senders[0].paths | all(.lost_since > 100 and .lost_since < .lost)' /mnt/out
$XD unload v0; $LOAD; [ "$($XD watch v0 --json --count 1 --every 100ms |
	jq -c .senders)" = '[]' ]
