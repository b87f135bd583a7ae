$XD load v0 --port 8001 --window 1s; rm $PINS/v0/timer
screen 80 24 $XD watch v0; shows " ! the window's clock has stopped"
shows ' clock has stopped'; has '  0.0 %'; presses q; ended 0; got $XD status v0
lacks advice; [ $($XD status v0 --json | jq -r .advice[].key) = stopped ]
