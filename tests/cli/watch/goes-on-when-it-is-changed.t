$LOAD; flows 4; screen 80 24 $XD watch v0 --every 200ms; shows ' an event; '; shows ' 7[45].'
$XD set v0 --action count --port 8001-8010; shows 'port 8001-8010, duplicates are counted'
$XD resize v0 --window 1h --capacity 70k; shows 'of 1h'; shows ' 75.'
presses q; ended 0
