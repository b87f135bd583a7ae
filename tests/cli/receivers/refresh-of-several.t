$XD load v0 p0 --port 80; ip link set p0 address 02:00:00:00:00:79; got $XD status
has 'the MACs of p0 or'; lacks 'the MACs of v0 or'; $XD refresh v0
got $XD status; lacks warning
