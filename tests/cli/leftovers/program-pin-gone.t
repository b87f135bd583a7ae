$LOAD; rm $PINS/v0/prog; got $XD status v0; $XD set v0 --ihave pass; runs v0
got $XD status v0; has 'v0 (native)'; $XD unload v0; idle v0; clean
