paths; screen 80 24 env LC_ALL=C $XD watch v0; shows ' [ab] v0 .*#'; presses q; ended 0
screen 80 24 $XD watch v0
shows ' [0-9A-Z]*: [0-9.k]* messages/s, [0-9]* lost on all paths; NOT REDUNDANT'
shows ' a v0  *[0-9.]*/s  *[0-9.]* %  *[1-9][0-9]*  *[1-9]'; shows ' [ab] v0 .*█'
has ' path  '; has 'skew: 1us-8s'; lacks ' fill '; lacks ' window '
[ $(echo "$output" | wc -L) -le 80 ]
kill -STOP $feed_a; shows ' a v0 .* silent'; kill -CONT $feed_a
hides silent; t resize-window -x 40 -y 13; hides interface; shows ' a v0'
t resize-window -x 200 -y 40; shows ' [ab] v0 .*█'; presses q; ended 0
