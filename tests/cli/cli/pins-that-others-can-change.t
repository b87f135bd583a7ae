$LOAD; for how in 'chmod 720' 'chmod 702' 'chown 65534'; do $how $PINS
	fails 'could be changed by others than root' $XD load p0 --port 80
	for v in 'status v0' 'unload v0' 'rotate v0' 'add v0 00000000000000000000000000000000000000000000000000000000000000aB'; do
		fails 'could be changed by others than root' $XD $v
	done
	chmod 700 $PINS; chown 0 $PINS; $XD status v0; done
chmod 755 $PINS-lock; fails "$PINS-lock could be changed" $XD unload v0
runs v0; chmod 700 $PINS-lock; $XD unload v0; rm -r $PINS
ln -s /sys/fs/bpf $PINS; fails 'cannot use' $LOAD; rm $PINS; idle v0
