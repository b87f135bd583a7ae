$LOAD; for s in INT TERM HUP; do listens v0; stops $s; has '0 shown'; done
ordinary
