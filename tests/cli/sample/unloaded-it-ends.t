$LOAD; listens v0; $XD unload v0; ends 1; has 'v0 has been unloaded'
$LOAD; listens v0; $XD unload v0; $LOAD; ends 1; has 'v0 has been unloaded'
