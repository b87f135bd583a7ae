// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* replay --html: its page in a real browser. Files are in $D, and the tool is $XD. */
#include "support.h"

/* $CHROMIUM OPTION... FILE: a headless browser without a network. dom FILE: its page once the
 * script has run, in $D/dom, as text in $D/text; what the browser's console says is an error.
 */
static const char FUNCTIONS[] =
	"set -e\n"
	"browse() { HOME=$D unshare -n timeout 60 chromium --headless --no-sandbox --disable-gpu "
	"--disable-dev-shm-usage --user-data-dir=$D/browser --enable-logging=stderr --v=0 \"$@\" "
	"2>$D/log || { cat $D/log; false; }; ! grep CONSOLE $D/log; }\n"
	"dom() { browse --dump-dom \"file://$1\" >$D/dom; awk '/^<.script>/ { body = \"\" } "
	"{ body = body $0 \"\\n\" } END { printf \"%s\", body }' $D/dom | sed 's/<[^>]*>/\\n/g; s/&lt;/</g; s/&gt;/>/g; s/&amp;/\\&/g' >$D/text; }\n"
	"has() { grep -qF -e \"$1\" $D/text || { echo \"no '$1' in\"; cat $D/text; false; }; }\n"
	"number() { jq \"$1\" $D/json | sed -E ':a; s/([0-9])([0-9]{3})($|,)/\\1,\\2\\3/; ta'; }\n";

static const struct row {
	const char *name, *script;
} ROWS[] = {
	{ "of-a-survey",
	  "$XD replay $D/feeds.pcapng --json --html $D/page.html >$D/json; dom $D/page.html\n"
	  "has feeds.pcapng; has \"$(number .packets)\"; has \"sudo $(jq -r .advice.load $D/json)\"\n"
	  "has \"drop $(number .advice.drops) of $(number .packets) packets\"\n"
	  "jq -r '.destinations[].name, .sources[].address' $D/json >$D/names\n"
	  "[ $(wc -l <$D/names) -gt 2 ]; while read -r name; do has \"$name\"; done <$D/names\n"
	  "[ \"$(number '[.destinations[].identical.packets] | add')\" = "
	  "\"$(number '.timeline.duplicates | add')\" ]\n"
	  "[ $(number '[.ages[][1]] | add') = $(number '.timeline.duplicates | add') ]\n"
	  "[ \"$(grep -c '<rect' $D/dom)\" -gt 0 ]; has 'Over time'; has 'After how long copies come'\n" },
	{ "of-a-replay",
	  "$XD replay $D/feeds.pcapng $(cat $D/feeds.options) --json --html $D/page.html >$D/json\n"
	  "dom $D/page.html; has Verdicts; has \"$(number '.streams[0].counters.duplicate')\"\n"
	  "[ $(jq '.streams[0].timeline.duplicates | add' $D/json) = "
	  "$(jq '.streams[0].counters.duplicate' $D/json) ]\n"
	  "[ $(jq '[.streams[0].ages.histogram[][1]] | add' $D/json) -gt 0 ]\n" },
	/* What a script's element ends with, or what hides its end. */
	{ "names-are-text",
	  "mkdir $D/'<!--<script>' $D/'<'; cp $D/mesh.pcapng $D/'<!--<script>'/'x<b>&amp;\\\"'\n"
	  "cp $D/mesh.pcapng $D/'<'/'script><script>document.title = 7'\n"
	  "for f in '<!--<script>/x<b>&amp;\\\"' '</script><script>document.title = 7'; do\n"
	  "	(cd $D; $OLDPWD/$XD replay \"$f\" --html page.html >/dev/null); dom $D/page.html\n"
	  "	grep -q '<title>xdp-dedup replay</title>' $D/dom; has 'Over time'\n"
	  "	[ $(grep -c '<b>x' $D/dom) = 0 ]; done; has '</script><script>document.title = 7'\n" },
	{ "needs-no-other-file",
	  "$XD replay $D/mesh.pcapng --html $D/page.html >/dev/null\n"
	  "! grep -E '(src|href) *=|url\\(|@import|http:[^\"]*(js|css)' $D/page.html\n" },
	{ "dark-and-light-and-paper",
	  "$XD replay $D/mesh.pcapng --html $D/page.html >/dev/null\n"
	  "for scheme in 0 1; do browse --window-size=600,400 --blink-settings=preferredColorScheme="
	  "$scheme --screenshot=$D/$scheme.png file://$D/page.html; done\n"
	  "[ -s $D/0.png ]; ! cmp -s $D/0.png $D/1.png\n"
	  "browse --print-to-pdf=$D/page.pdf file://$D/page.html\n"
	  "[ \"$(head -c 4 $D/page.pdf)\" = %PDF ]\n" },
};

/* Without a browser. */
TEST(errors_leave_no_page)
{
	sh("got=$($XD replay $D/mesh.pcapng --html $D/none/page.html 2>&1 >/dev/null) && exit 1\n"
	   "[ \"$got\" = \"xdp-dedup: cannot write $D/none/page.html: No such file or directory\" ]");
	sh("got=$($XD replay $D/mesh.pcapng --html /dev/full 2>&1 >/dev/null) && exit 1\n"
	   "[ \"$got\" = 'xdp-dedup: cannot write /dev/full: No space left on device' ]; [ -c /dev/full ]");
	sh("ulimit -f 4; trap '' XFSZ\n" /* of 1,024 bytes */
	   "got=$($XD replay $D/mesh.pcapng --html $D/page.html 2>&1 >/dev/null) && exit 1\n"
	   "[ \"$got\" = \"xdp-dedup: cannot write $D/page.html: File too large\" ]; [ ! -e $D/page.html ]");
	sh("head -c 5000 $D/mesh.pcapng >$D/cut; $XD replay $D/cut --html $D/cut.html >/dev/null 2>&1 && "
	   "exit 1; grep -q '\"complete\":false' $D/cut.html");
}

static void page_shows(void **state)
{
	const struct row *row = *state;

	if (sh_out((char[8]){ 0 }, 8, "command -v chromium >/dev/null")) {
		print_message("chromium is not installed\n");
		skip();
	}
	sh("rm -rf $D/browser $D/page.html; %s%s", FUNCTIONS, row->script);
}

int main(void)
{
	char dir[] = "/tmp/report-test-XXXXXX";
	int status;

	assert_non_null(mkdtemp(dir));
	setenv("D", dir, 1);
	setenv("XD", tool(), 1);
	sh("for c in feeds mesh; do /usr/bin/python3 tests/fixture/capture/captures.py $c $D; done");
	add_own_tests(NULL, NULL);
	add_rows(ROWS, page_shows, NULL, NULL);
	status = run_added_tests("report");
	sh("rm -rf $D");
	return status;
}
