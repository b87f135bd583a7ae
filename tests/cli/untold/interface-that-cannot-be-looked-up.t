for err in 1 12 24; do
fails 'cannot look for the interface v0' $WITHOUT index $err $LOAD; clean; $LOAD
fails_and_keeps $WITHOUT index $err $XD unload v0
$XD unload v0; $LOAD --name x
fails 'cannot look for the interface v0' $WITHOUT index $err $XD rotate v0
$XD unload v0; done
