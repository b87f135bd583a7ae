# Accounts take memory, but no id does.
size() { $XD size --profile gsp:1 --profile rtp:2 --sources 10 --json "$@"; }
jq -e -n --argjson a "$(size)" --argjson b "$(size --paths 2)" '
	$a.bytes_per_id == $b.bytes_per_id and $b.source_bytes > $a.source_bytes + 2 * 416 and
	$b.filter_bytes - $a.filter_bytes == 10 * ($b.source_bytes - $a.source_bytes)'
