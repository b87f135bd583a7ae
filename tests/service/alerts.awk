# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Writes what alerts.yml abbreviates in full. Variable: rules.

BEGIN { FS = "\"" }

function series(name, labels, values) {
	printf "      - { series: 'xdp_dedup_%s{filter=\"%s\",stream=\"x\",source=\"01\"%s}', values: \"%s\" }\n",
		name, filter, labels, values
}

/^#/ { next }
{ split($1, word, " "); filter = word[3] }
word[2] == "PATH" {
	path = ",path_stream=\"x\",interface=\"eth0\""
	series("path_messages_total", path, $2)
	series("path_lost_total", path, $4)
	series("path_missing", path, $6)
	next
}
word[2] == "SENDER" {
	series("sender_partial", "", $2)
	series("sender_lost_total", "", $4)
	series("sender_missing", "", $6)
	next
}
{ gsub(/RULES/, rules); print }
