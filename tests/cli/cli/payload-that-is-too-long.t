# Frames that differ only in their last byte. It counts up to 9216 bytes; beyond, none is dropped.
ip link set v0 mtu 9500 up; ip link set p0 mtu 9500 up; ip addr add 10.78.1.2/24 dev p0
sends() { python3 -c 'import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"p0")
for last in b"abb":
    s.sendto(bytes(int(sys.argv[1]) - 1) + bytes([last]), ("233.252.0.1", 9))' $1; }
counts() { got $XD status v0 --json
	[ "$(echo "$output" | jq -c '.counters | [.new, .dropped, .too_long]')" = "$1" ]; }
for more in '' '--profile rtp:5004'; do
	$XD load v0 --profile payload:9 $more
	sends 9216; soon counts '[2,1,0]'
	sends 9217; soon counts '[2,1,3]'
	$XD unload v0
done
