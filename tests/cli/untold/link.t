for err in 12 24; do fails 'cannot attach to v0' $WITHOUT 28 $err $LOAD
clean; done; $LOAD; $XD unload v0
