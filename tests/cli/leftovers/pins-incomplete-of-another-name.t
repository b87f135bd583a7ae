$LOAD --name x; rm $PINS/x/config; fails 'the pins of x are incomplete' $XD status v0; runs v0
fails 'the pins of x are incomplete' $XD set x --ihave pass; runs v0
$XD unload --name x; idle v0; clean
