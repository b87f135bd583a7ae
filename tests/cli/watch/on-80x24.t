$LOAD; flows 4; screen 80 24 $XD watch v0
shows 'v0: GSP/1 on UDP port 8001, duplicates are dropped'
shows ' an event; '; hides '  - an event'; shows '█'; shows ' 7[45].'
output=$(t display -p '#{alternate_on} #{cursor_flag}'); is '1 0'; pane
for word in packets duplicates share 'of what it looks at' copies 'kept away' ' in all' fill\
	'window  ' ' of 10m' interface 'native' CPU 'at most'; do has "$word"; done
lacks '!'; lacks delivered; [ $(echo "$output" | wc -l) = 24 ]
got tail -n 1 <<END
$output
END
is ' q: end'; pane; presses q; ended 0; lacks packets
