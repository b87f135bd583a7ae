// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The publisher's metrics: the operators' page and the alert rules name only metrics that exist,
 * and the page has each alert.
 */
#include "unit.h"

#include "publisher.h"

#define RULES "user/publish/alerts.yml"
#define PAGE "user/publish/USAGE.md"
#define PREFIX "xdp_dedup_publish_"

/* The metrics in Prometheus' format; the caller frees them. */
static char *write_metrics(void)
{
	const struct publish_options o = { .filter = "f", .stream = "S", .machine = "m" };
	struct intake intake = { 0 };
	struct outbox outbox = { .options = &o, .intake = &intake };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(publish_metrics_write(&outbox, out), 0);
	fclose(out);
	return text;
}

/* Each word of this command's output is the name of a metric. */
static const struct names {
	const char *name, *command;
	int cnt_min;
} NAMES[] = {
	{ "names-of-rules", "grep -oh '" PREFIX "[a-z_]*' " RULES, 4 },
	{ "names-of-the-page", "grep -oh '" PREFIX "[a-z_]*[a-z]' " PAGE, 3 },
};

TEST_ROWS(names_exist, NAMES)
{
	char *metrics = write_metrics(), out[4096], line[128];
	int cnt = 0;

	assert_int_equal(sh_out(out, sizeof(out), "%s", row->command), 0);
	for (char *name, *rest = out; (name = strsep(&rest, "\n")) && *name; cnt++) {
		snprintf(line, sizeof(line), "# TYPE %s ", name);
		if (!strstr(metrics, line))
			fail_msg("there is no metric %s", name);
	}
	assert_true(cnt >= row->cnt_min);
	free(metrics);
}

TEST(alerts_are_on_the_page)
{
	sh("for a in $(sed -n 's/.*alert: //p' " RULES "); do grep -qF \"\\`$a\\`\" " PAGE
	   " || exit 1; done");
	sh("[ $(grep -c '^ *- alert: ' " RULES ") -ge 4 ]");
}

/* When each fires, and when it does not. */
TEST(rules_fire)
{
	char out[4096];

	if (sh_out(out, sizeof(out), "command -v promtool"))
		skip();
	sh("promtool check rules " RULES);
	if (sh_out(out, sizeof(out),
		   "set -e; d=$(mktemp -d); trap 'rm -rf $d' EXIT\n"
		   "sed \"s|RULES|$PWD/" RULES "|\" tests/unit/publish/alerts.yml >$d/test.yml\n"
		   "promtool test rules $d/test.yml"))
		fail_msg("%s", out);
}

UNIT_MAIN()
