# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# What scripts/manual puts into man pages: `part` says which, of its standard input.
BEGIN {
	FS = part ~ /^@(verbs|options|service-keys|keys|profiles)@$/ ? "\t" : " "
	RS = part == "@facts@" ? "@" : "\n"
}

# Text that roff would take for its own.
function text(s) {
	gsub(/\\/, "\\e", s)
	gsub(/-/, "\\-", s)
	sub(/^[.']/, "\\\\\\&&", s)
	return s
}
# Words between backticks are bold, links their words, emphasis too.
function marked(s) {
	s = text(s)
	while (match(s, /\[[^]]*\]\([^)]*\)/)) {
		link = substr(s, RSTART, RLENGTH)
		sub(/^\[/, "", link)
		sub(/\]\(.*/, "", link)
		s = substr(s, 1, RSTART - 1) link substr(s, RSTART + RLENGTH)
	}
	gsub(/\*\*/, "", s)
	while (match(s, /`[^`]*`/))
		s = substr(s, 1, RSTART - 1) "\\fB" substr(s, RSTART + 1, RLENGTH - 2) "\\fR" substr(s, RSTART + RLENGTH)
	return s
}
# With a full stop, unless it ends like a sentence already.
function sentence(s) {
	return s (s ~ /[.?]$/ ? "" : ".")
}
function item(head, body) {
	print ".TP"
	print head
	print body
}

part == "@verbs@" && $1 == "verb" {
	item("\\fB" text($2) "\\fR " text($3), sentence(text($4)))
	if ($5)
		print ".br\n" text($5)
}

# Each option once for what it says, and the verbs that take it.
part == "@options@" && $1 == "verb" { verbs_cnt++ }
part == "@options@" && $1 == "env" { env[$2] = $3 }
part == "@options@" && $1 == "option" {
	key = $2 "\t" $3 "\t" $5
	if (!(key in takers))
		order[++cnt] = key
	takers[key] = takers[key] (takers[key] ? ", " : "") $4
	takers_cnt[key]++
}
function print_options(i, field, who) {
	for (i = 1; i <= cnt; i++) {
		split(order[i], field, "\t")
		who = takers_cnt[order[i]] == verbs_cnt ? "all verbs" : takers[order[i]]
		item("\\fB" text(field[1]) "\\fR" (field[2] == "-" ? "" : " \\fI" text(field[2]) "\\fR"), \
		     sentence(marked(field[3])))
		if (takers[order[i]] != "-")
			print ".br\nTaken by: " text(who) "."
		if (field[1] in env)
			print ".br\n\\fB" env[field[1]] "\\fR sets its default."
	}
}

part ~ /keys@$/ && $1 == "key" && $2 == (part == "@keys@" ? "filter" : "service") {
	item("\\fB" text($3) "\\fR = " ($4 == "yes" ? "yes" : "\\fI" text($4) "\\fR"), sentence(marked($5)))
}

part == "@profiles@" {
	if ($1 != use)
		print ".SS " text($1)
	use = $1
	item("\\fB" text($2) "\\fR", sentence(text($3)))
}

part == "@counters@" {
	name = $1
	sub(/^ *[^ ]* */, "")
	item("\\fB" text(name) "\\fR", sentence(text($0)))
}

# Rows of facts: user/man/keys, as the preprocessor leaves it.
part == "@facts@" && $1 == "part" {
	split($0, quoted, "\"")
	print ".SS " quoted[2]
}
part == "@facts@" && $1 == "of" {
	split($0, quoted, "\"")
	of = quoted[2]
	metrics = $NF
}
part == "@facts@" && $1 == "fact" {
	split($0, quoted, "\"")
	item("\\fB" text(of $2) "\\fR", marked(quoted[2]))
	if ($3 != "-")
		print ".br\nMetric: " text(metrics $3) "."
}

# A header: a comment and what it is about, up to an empty line. Lines of a comment that begin with
# two blanks are a list. What has no comment belongs to the comment before it.
function flush_comment(i, line, word) {
	while (lines && comment[lines] == "")
		lines--
	for (i = 1; i <= lines; i++) {
		line = comment[i]
		if (line == "") {
			print ".PP"
			in_list = 0
		} else if (line ~ /^  -[A-Z]/) {
			word = line
			sub(/^ */, "", word)
			sub(/ .*/, "", word)
			sub(/^ *[^ ]* */, "", line)
			item("\\fB" text(word) "\\fR", text(line))
			in_list = 1
		} else {
			if (in_list && line !~ /^  /)
				print ".PP"
			in_list = line ~ /^  / && in_list
			sub(/^ */, "", line)
			print text(line)
		}
	}
	in_list = lines = 0
}
function flush_code(i) {
	if (!codes)
		return
	print ".PP\n.nf"
	for (i = 1; i <= codes; i++)
		print "\\fB" text(code[i]) "\\fR"
	print ".fi"
	if (lines)
		print ".PP"
	codes = 0
}
part == "@calls@" {
	gsub(/\t/, "        ")
	if (/SPDX/ || /^#define [A-Z_]*_H$/)
		next
	if (/^\/\*/ || in_comment) {
		in_comment = !/\*\/ *$/
		sub(/^\/\* ?/, "")
		sub(/^ \*\/? ?/, "")
		sub(/ *\*\/ *$/, "")
		if ($0 != "" || in_comment)
			comment[++lines] = $0
		next
	}
	if (/^#define XDP/ || (!/^#/ && !/^extern "C"/ && !/^}$/ && $0 != ""))
		code[++codes] = $0
	else {
		flush_code()
		flush_comment()
	}
}

# A section of a document, up to the next heading: paragraphs, a table as a list but for its head,
# text between fences as it is.
function print_row(cell) {
	if (row == "")
		return
	sub(/^\| */, "", row)
	sub(/ *\|$/, "", row)
	split(row, cell, / +\| +/)
	item(marked(cell[1]), sentence(marked(cell[2])))
	row = ""
}
part == "@section@" && /^#/ && !fenced {
	inside = $0 ~ "^#+ " heading "$"
	next
}
part == "@section@" && inside {
	if (/^\|[-|]*$/) {
		row = ""
		next
	}
	print_row()
	if (/^```/) {
		fenced = !fenced
		print fenced ? ".PP\n.in +4n\n.nf" : ".fi\n.in"
	} else if (fenced)
		print $0 == "" ? ".sp" : text($0)
	else if (/^\| /)
		row = $0
	else if (/^- /)
		print ".IP \\(bu 2\n" marked(substr($0, 3))
	else if ($0 != "") {
		if (blank && begun)
			print ".PP"
		sub(/^ */, "")
		print marked($0)
	}
	blank = $0 == ""
	begun = begun || !blank
}

END {
	print_row()
	if (part == "@options@")
		print_options()
	if (part == "@calls@") {
		flush_code()
		flush_comment()
	}
}
