# The pins hold it.
$XD load v0 p0 --port 80; rm -r $PINS/v0; soon idle v0; soon idle p0
got $XD status; has 'no filter'; $LOAD; $XD unload v0; clean
