joined() { rm -f /mnt/ready /mnt/sent; $RX $* >/mnt/n & rx=$!; soon test -e /mnt/ready
	got $XD check v0 v1 --profile payload:5568@ff05::1; kill $rx; wait $rx || :; }
joined join6=v0; has 'ff05::1 is joined on v0 and not on v1'
joined join6=v0 join6=v1; lacks 'and not on'
