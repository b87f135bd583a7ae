$XD replay $D/mesh.pcapng --html $D/page.html >/dev/null
for scheme in 0 1; do browse --window-size=600,400 --blink-settings=preferredColorScheme=$scheme \
	--screenshot=$D/$scheme.png file://$D/page.html; done
[ -s $D/0.png ]; not cmp -s $D/0.png $D/1.png
browse --print-to-pdf=$D/page.pdf file://$D/page.html; [ "$(head -c 4 $D/page.pdf)" = %PDF ]
