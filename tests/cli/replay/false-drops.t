# They are seen: one in five is allowed.
made sparse; replayed sparse '.streams[0] | .false_drops > 20 and .false_drops < 164 and .ids == 700' \
	--port 8001 --window 6h --fpr 0.2 --capacity 10
