cat $D/mesh.pcapng | $XD replay - --port 8001 --json >$D/json; holds '.streams[0].counters.new == 500'
