// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The man pages, as they are made of user/man, the tool's help, the library's headers and the
 * documents: without warnings, and with all of these in them.
 */
#include "unit.h"

#define BENCH BUILT "/xdp-dedup-bench"
#define PUBLISH BUILT "/xdp-dedup-publish"

static char dir[] = "/tmp/xdp-dedup-manual.XXXXXX"; /* $D in commands: has the pages */

static const struct page {
	const char *name;
	/* A command that prints words, of which each must be in the page as it is read; $TOOL is
	 * the tool. At least so many.
	 */
	const char *words;
	int words_min;
} PAGES[] = {
	{ "xdp-dedup-bench.8", BENCH " --help | sed -n 's/^  \\(--[-a-z]*\\).*/\\1/p'", 9 },
	{ "xdp-dedup.8",
	  "for v in $($TOOL help | sed -n 's/^  \\([a-z]*\\) .*/\\1/p'); do echo $v; "
	  "$TOOL $v --help | sed -n 's/^  \\(--[-a-z]*\\).*/\\1/p; s/^\\(XDP_[A-Z_]*\\) .*/\\1/p'; "
	  "done; "
	  "$TOOL help counters | cut -c 3- | cut -d ' ' -f 1; echo native blocked countdown; "
	  "sed -nE 's/^\t(FACT|GAUGE|COUNTER|METRIC|X)\\(([a-z0-9_]+),.*/\\2/p' "
	  "user/control/facts.h",
	  360 },
	{ "xdp-dedup-publish.8",
	  PUBLISH " --help | sed -n 's/^  \\(--[-a-z]*\\).*/\\1/p'; "
		  "grep -oh '\"Dedup-[A-Za-z]*\"' user/publish/outbox.c | tr -d '\"'",
	  36 },
	{ "libxdp-dedup.3",
	  "sed 's,/\\*.*,,' user/api/*.h | grep -o '\\bxdp_dedup_[a-z_]*(' | tr -d '('; "
	  "grep -oh -- '-E[A-Z]*' user/api/*.h; grep -o 'XDP_DEDUP_FIPS_[A-Z_]*_BYTES' "
	  "user/api/*s.h | "
	  "cut -d : -f 2",
	  50 },
	{ "xdp-dedup-profiles.5",
	  "sed 's/\\[profile.*//; s/ .*//; /^$/d; /^[#;]/d; /^decoder/d' "
	  "user/spec/profiles/*.ini | sort -u; "
	  "echo BASE+OFFSET:LENGTH '[STREAM=]NAME[:PORTS[@DESTINATIONS]][#REALM]'",
	  9 },
	{ "xdp-dedup.conf.5",
	  "sed -n 's/^#*\\([a-z-]*\\) = .*/\\1/p' user/service/xdp-dedup.conf; "
	  "$TOOL run --help | sed -n 's/^  \\([-a-z]*\\) = .*/\\1/p'; "
	  "echo 8001,9000-9010 2001:db8::/64",
	  34 },
};

static void make_page(const struct page *p)
{
	sh("scripts/manual user/man/%s %s >$D/%s", p->name,
	   strstr(p->name, "bench")	? BENCH
	   : strstr(p->name, "publish") ? PUBLISH
					: tool(),
	   p->name);
}

static void page_has_no_warnings(const struct page *p)
{
	char out[4096];

	if (!sh_out(out, sizeof(out), "command -v mandoc"))
		assert_int_equal(
			sh_out(out, sizeof(out), "mandoc -T lint -W warning $D/%s", p->name), 0);
	sh_out(out, sizeof(out), "LC_ALL=C.UTF-8 man --warnings -l $D/%s 2>&1 >/dev/null", p->name);
	assert_string_equal(out, "");
}

/* In the text as it is shown, without hyphens of its own, in lines that do not end. */
static void page_says_everything(const struct page *p)
{
	char out[4096];

	sh_out(out, sizeof(out),
	       "LC_ALL=C.UTF-8 MANWIDTH=4000 man --nh --nj -l $D/%s | col -b >$D/text\n"
	       "{ %s; } >$D/words\n"
	       "[ $(tr ' ' '\\n' <$D/words | wc -l) -ge %d ] || echo too few words\n"
	       "tr ' ' '\\n' <$D/words | while read -r word; do\n"
	       "	grep -qF -e \"$word\" $D/text || echo \"$word is not said\"; done",
	       p->name, p->words, p->words_min);
	assert_string_equal(out, "");
}

TEST_ROWS(page_is_whole, PAGES)
{
	char out[256];

	if (sh_out(out, sizeof(out), "command -v man && command -v col"))
		skip();
	make_page(row);
	page_has_no_warnings(row);
	page_says_everything(row);
	sh("! grep '^@\\|@VERSION' $D/%s", row->name);
}

int main(void)
{
	int failed;

	if (!mkdtemp(dir))
		return 1;
	setenv("D", dir, 1);
	setenv("TOOL", tool(), 1);
	add_own_tests(NULL, NULL);
	failed = run_added_any_tests("manual");
	sh("rm -rf $D");
	return failed;
}
