$XD load v0 b0 --port 80; $XD save v0 /mnt/snapshot; ip link set v0 master b0
for what in 'set v0 --action count' 'resize v0 --fpr 1e-5'\
	'load --replace --name v0 --window 1h' 'restore v0 /mnt/snapshot'; do
	fails 'b0 is on top of v0: a packet would meet the filter twice' $XD $what; done
got $XD status v0 --json; has '"action": "drop"'; [ "$(ls $PINS)" = v0 ]; runs b0
$XD set v0 --remove b0; idle b0; runs v0; $XD set v0 --action count; $XD unload v0
$XD load b0 --port 80
fails 'b0 is on top of v0 and runs XDP' $XD load v0 --port 80; idle v0
