$LOAD; flows 4; screen 80 24 env LC_ALL=C $XD watch v0; shows '########'
lacks '█'; shows 'at most'; presses Q; ended 0
