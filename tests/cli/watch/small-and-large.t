$LOAD; flows 4; screen 40 10 $XD watch v0; shows ' an event'; has away; has fill; has window
[ $(echo "$output" | wc -l) = 10 ]; lacks interface; has 'q: end'
[ $(echo "$output" | wc -L) -le 40 ]
t resize-window -x 200 -y 60; shows interface; shows CPU; shows 'dropped   '
[ $(echo "$output" | wc -l) = 60 ]; has ' in all'
t resize-window -x 20 -y 3; hides interface; shows 'q: end'
t resize-window -x 1 -y 1; sleep 1.2; t resize-window -x 80 -y 24
shows interface; shows 'q: end'; presses q; ended 0
