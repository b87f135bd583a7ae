# What was read until then counts, and the exit status tells.
head -c 20000 $D/mesh.pcapng >$D/half; error 1 'half: packet [0-9]*' $D/half --port 8001 --json
jq -e '.complete == false and .streams[0].counters.new > 10' $D/out
