$LOAD; not listens v0 --write /dev/full; ends 1
has 'cannot write'; ordinary; listens v0 >/dev/null; stops
fails 'cannot write /nope/x' $XD sample v0 --write /nope/x; ordinary
