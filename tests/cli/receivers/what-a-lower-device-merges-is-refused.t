ip link set v0 master b0; ethtool -K v0 gro on rx-udp-gro-forwarding on
fails 'v0 merges UDP packets before b0, on top of it, sees them' $XD load b0 --port 80
clean; $XD load p0 --port 80; exits 1 $XD set p0 --add b0; has 'v0 merges'; idle b0
fails 'v0 merges' $XD load --replace --name p0 p0 b0; idle b0; $XD unload p0
$XD load v0 --port 80; $XD unload v0; ethtool -K v0 rx-udp-gro-forwarding off
$XD load b0 --port 80; got $XD status b0; lacks warning
ethtool -K v0 rx-gro-list on; got $XD status b0
has '  warning     v0 merges UDP packets before b0 sees them'
got $XD status b0 --json; has '"upper": "b0"'; $XD unload b0
fails 'v0 merges' $XD load b0 --port 80 --mode skb; ethtool -K v0 gro off
$XD load b0 --port 80
