# of before: it can be looked at and removed
$LOAD; mv $PINS/v0 $PINS/-x; got $XD status; has '-x: GSP/1'; $XD status -- -x
$XD add -- -x $ID_A; $XD unload --name -x; clean; idle v0
