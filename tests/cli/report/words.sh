# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
# shellcheck shell=sh
# $D has the captures feeds and mesh, with the options that feeds.options says
# browse OPTION... FILE  a headless browser without a network; a message on its console fails
# dom FILE               its page once the script has run, in $D/dom; the words of it, in $D/text
# shows WORDS            they are in $D/text
# number EXPRESSION      of $D/json (jq), as pages show numbers
# refused TEXT ARGS...   replay of mesh fails with this line alone on stderr
D=/mnt/report; mkdir -p $D
[ -e $D/mesh.pcapng ] || for c in feeds mesh; do
	/usr/bin/python3 tests/fixture/capture/captures.py $c $D; done
browse() { command -v chromium >/dev/null || exit 77
	HOME=$D unshare -n timeout 60 chromium --headless --no-sandbox --disable-gpu \
		--disable-dev-shm-usage --user-data-dir=$D/browser --enable-logging=stderr --v=0 \
		"$@" 2>$D/log || { cat $D/log; false; }; not grep CONSOLE $D/log; }
dom() { browse --dump-dom "file://$1" >$D/dom
	awk '/^<.script>/ { body = "" } { body = body $0 "\n" } END { printf "%s", body }' $D/dom |
	sed 's/<[^>]*>/\n/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >$D/text; }
shows() { grep -qF -e "$1" $D/text || { echo "no '$1' in"; cat $D/text; false; }; }
number() { jq "$1" $D/json | sed -E ':a; s/([0-9])([0-9]{3})($|,)/\1,\2\3/; ta'; }
refused() { text=$1; shift; fails "$text" $XD replay $D/mesh.pcapng "$@"
	is "xdp-dedup: $text"; }
