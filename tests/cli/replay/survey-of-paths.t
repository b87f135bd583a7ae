# The survey says what each path brought, as the capture is known to have it.
made feeds; replay feeds --json >$D/json
jq -e --slurpfile want $D/feeds.want '.advice | .paths == 2 and (.options | contains("--paths 2")) and
	(.senders | contains($want[0].senders))' $D/json
replay feeds >$D/out; grep '^    moldudp64-2 nic' $D/out
