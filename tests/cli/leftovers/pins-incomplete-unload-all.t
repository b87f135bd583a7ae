$LOAD; rm $PINS/v0/config; $XD unload --all; idle v0
