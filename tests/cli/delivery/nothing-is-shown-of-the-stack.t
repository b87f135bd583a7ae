$LOAD; got $XD status; lacks AF_XDP; lacks no_socket
$XD status v0 --json | jq -e 'has("sockets") and .sockets == null and .streams[0].deliver == "stack"'
