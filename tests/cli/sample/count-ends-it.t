$LOAD; listens v0 --count 3; $SEND p0 1 5; ends 0; shown 3; ordinary
