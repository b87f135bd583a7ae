$LOAD; $PUT $OTHER $PINS/v0/link-v0; runs v0
got $XD status v0; has 'v0 (detached)'; has 'attaches it anew'
$XD set v0 --add v0; got $XD status v0; has 'v0 (native)'; lacks advice
$PUT $OTHER $PINS/v0/link-v0; $XD set v0 --ihave pass; got $XD status v0; has 'v0 ('
$XD unload v0; idle v0; clean
