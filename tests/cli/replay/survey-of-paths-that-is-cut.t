# An error is reported once, and what was not read has no figures.
made feeds; head -c 60000 $D/feeds.pcapng >$D/half; error 1 half $D/half --json
jq -e '.advice | .paths == 2 and .senders == null' $D/out
