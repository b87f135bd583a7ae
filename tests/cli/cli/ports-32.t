ports=$(for i in $(seq 10 41); do echo ${i}001-${i}999; done | paste -sd,)
$XD load v0 --port $ports; got $XD status; has "UDP port $ports, dup"
