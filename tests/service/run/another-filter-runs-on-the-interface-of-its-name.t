$XD load v0 --name gossip --port 80; conf '[filter v0]' 'interfaces = v0' 'port = 81'
serve; logs 'v0 already runs the filter'; got $XD status; has 'gossip: GSP/1 on UDP port 80'
$XD unload v0; quits TERM
