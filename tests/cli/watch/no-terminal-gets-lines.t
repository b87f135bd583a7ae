$LOAD; screen 80 24 "$XD watch v0 --count 2 --every 200ms </dev/null"; ended 0
has packets/s; screen 80 24 env TERM=dumb $XD watch v0 --count 2 --every 200ms; ended 0
has packets/s; screen 80 24 env -u TERM $XD watch v0 --count 2 --every 200ms; ended 0
has packets/s
