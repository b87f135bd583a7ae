$LOAD; limit=; listens v0 --for 500ms; ends 0; has '0 shown'; ordinary
