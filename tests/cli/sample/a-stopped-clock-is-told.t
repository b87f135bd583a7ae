$LOAD; listens v0; rm $PINS/v0/timer; ends 1
has 'the hand of v0 has stopped; unload and load it again'
fails 'the hand of v0 has stopped' $XD sample v0
