# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# Reads tests/drivers/faults and the log of a machine, for tests/run-drivers. Prints unexpected
# results, then "PASSED FAILED SKIPPED"; appends the machine's rows to `table`.
# Variables: kind, series, table.

BEGIN { faults = passed = failed = skipped = 0 }

# A shell's pattern, in which only * and | are special, as a regular expression.
function pattern(glob) {
	gsub(/[.+]/, "\\\\&", glob)
	gsub(/\*/, ".*", glob)
	return "^(" glob ")$"
}

# The reason why this test is expected to fail, or "".
function fault(test,    i) {
	for (i = 0; i < faults; i++)
		if (kind ~ kinds[i] && series ~ serieses[i] && way ~ ways[i] && test ~ tests[i])
			return reasons[i]
	return ""
}

function row() {
	if (way == "" || !("driver" in fact))
		return
	printf "| %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", kind, fact["linux"], way, fact["mode"],
		fact["queues"], fact["largest-native-mtu"], fact["resets"], fact["change-load"],
		fact["change-unload"], fact["xsk"] >> table
	split("", fact)
}

FNR == NR {
	if ($0 == "" || /^#/)
		next
	kinds[faults] = pattern($1)
	serieses[faults] = pattern($2)
	ways[faults] = pattern($3)
	tests[faults] = pattern($4)
	reason = $0
	for (i = 0; i < 4; i++)
		sub(/^[^ \t]+[ \t]+/, "", reason)
	reasons[faults++] = reason
	next
}
/^# way / { row(); way = $3; next }
/^# fact / { key = $3; sub(/:$/, "", key); value = $0; sub(/^# fact [^:]*: /, "", value); fact[key] = value; next }
/^not ok .*# SKIP/ { skipped++; output = ""; next }
/^(not )?ok / {
	test = $0
	sub(/^(not )?ok [0-9]+ - /, "", test)
	why = fault(test)
	fails = /^not/
	if (fails && why != "") {
		skipped++
		printf "  %s on %s, %s: %s fails, as is known: %s\n", kind, series, way, test, why
	} else if (fails) {
		failed++
		printf "  %s on %s, %s: %s FAILS\n%s", kind, series, way, test, output
		after = 2
	} else if (why != "") {
		failed++
		printf "  %s on %s, %s: %s passes, but tests/drivers/faults has: %s\n", kind, series, way, test, why
	} else {
		passed++
	}
	output = ""
	next
}
after > 0 && /^#/ { print "    " $0; after--; next }
{ after = 0; output = output "    " $0 "\n" }
END { row(); printf "%d %d %d\n", passed, failed, skipped }
