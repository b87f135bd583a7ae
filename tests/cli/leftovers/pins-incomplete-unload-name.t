$LOAD; rm $PINS/v0/config; $XD unload --name v0; idle v0
