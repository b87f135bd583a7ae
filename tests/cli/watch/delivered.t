$LOAD --deliver xsk; flows 4; screen 80 24 $XD watch v0
shows ' delivered  *0/s; [1-9][0-9.k]*/s to the stack instead'; presses q; ended 0
screen 40 12 $XD watch v0; shows ' ! fresh packets go to the stack'; has ' window'
presses q; ended 0
rates() { $XD watch v0 --json --count 1 --every 2s | jq -e '.undelivered_per_s > 0 and
	.delivered_per_s == 0 and .streams[0].undelivered_per_s == .undelivered_per_s'; }
soon rates
