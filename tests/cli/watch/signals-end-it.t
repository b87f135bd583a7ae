$LOAD; for s in INT TERM HUP; do screen 80 24 $XD watch v0; shows 'q: end'
	kill -$s $(pgrep -P $(pgrep -P $(t display -p '#{pane_pid}'))); ended 0; lacks packets; done
screen 80 24 $XD watch v0; shows 'q: end'; presses C-c; ended 0
