# The rate is that of both; the time left falls by the clock; then status says what to do.
status() { $XD status v0 --json >/mnt/status; }
holds() { jq -e "$1" /mnt/status || { cat /mnt/status; return 1; }; }
# On a busy machine again, until all of it takes less than half a window.
resized() { $XD unload --all; began=$(date +%s)
	$LOAD --capacity 2k --fpr 0.01 --window 8s; head -n 1800 /mnt/ids | $XD add v0 - >/mnt/out
	status; mv /mnt/status /mnt/before; $XD resize v0 --capacity 4k; status
	got $XD status v0; [ $(($(date +%s) - began)) -lt 4 ]; }
soon resized
has ', the predecessor'"'"'s included
  predecessor '
has ' asked for another '
jq -e '.predecessor == null' /mnt/before; rate=$(jq .fpr_estimate /mnt/before)
holds '.predecessor | .left_ns > 4e9 and .left_ns <= 16.1e9 and .asked and (.learns | not)'
holds '.predecessor | .capacity == 2000 and .window_ns == 8e9'
holds '.predecessor.ids_estimate | . > 1440 and . < 2160'
holds "$rate > 0 and .fpr_estimate > $rate / 2 and (.exchanging | not)"
holds '(.fpr_estimate / .predecessor.fpr_estimate - 1 | fabs) < 0.01'
forgotten() { $XD status v0 | grep -q 'predecessor has forgotten'; }
sleep 8; soon forgotten; got $XD status v0; has '
  predecessor has forgotten every id; its memory, '
status; holds '.predecessor | (.asked | not) and .forgotten and .left_ns == 0'
holds '.fpr_estimate == 0'
$XD refresh; status; holds '.predecessor == null'
