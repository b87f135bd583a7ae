$LOAD; listens v0 --new --drops; $SEND p0 1 1; $SEND p0 1 1; shown 2; stops
