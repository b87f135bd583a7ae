// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The alert rules and the dashboard: that they name metrics that there are, and, with Prometheus
 * (`sudo scripts/deps prometheus`), that it takes them, scrapes filters in the kernel, and fires.
 */
#include "cli_runner.h"
#include "open.h"
#include "scrape_runner.h"

#include <sys/prctl.h>

#include "metrics.h"
#include "want_lost.h"
#include "xdp-dedup-receive.h"

#define RULES "user/service/alerts.yml"
#define DASHBOARD "user/service/dashboard.json"
#define PUBLISH "xdp_dedup_publish_"
#define AT "http://127.0.0.1:9090"
#define EXPRESSIONS "jq -r '.panels[].targets[]?.expr' " DASHBOARD

static pid_t prometheus;

static void need(const char *program)
{
	char out[256];

	if (sh_out(out, sizeof(out), "command -v %s", program))
		skip();
}

TEST(rules_are_right)
{
	need("promtool");
	sh("promtool check rules " RULES);
	sh("awk -f tests/service/alerts.awk -v rules=$PWD/" RULES
	   " tests/service/alerts.yml >/mnt/test.yml; promtool test rules /mnt/test.yml");
}

static const struct xdp_dedup_receive_options QUEUE = { .size = sizeof(QUEUE) };

/* A filter of an A and a B feed, of which each side loses a part, and its senders. The history is
 * short, so that losses are known soon.
 */
static const char LOAD_FEEDS[] =
	"printf '%s\\n' '[profile feed]' 'layer = udp' 'source = payload+0:10' 'history = 256' \\\n"
	"	'sequence = payload+10:8' 'count = payload+18:2' 'exempt = payload+18:2 == 0x0000' \\\n"
	"	'exempt = payload+18:2 == 0xffff' >/mnt/feed.ini\n"
	"ip link set v0 up; ip link set p0 up; ip addr add 10.78.1.2/24 dev p0\n"
	"$XD load v0 --name feeds --paths 2 --profiles /mnt/feed.ini \\\n"
	"	--profile a=feed:26400@233.252.0.1#md --profile b=feed:26401@233.252.0.2#md";
#define SIDES 2

static pid_t sides[SIDES];

static void send_feeds(uint32_t packets, uint32_t rate_pps)
{
	char command[256];

	for (int side = 0; side < SIDES; side++) {
		sides[side] = fork();
		if (sides[side])
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		snprintf(command, sizeof(command),
			 "exec scripts/feed.py %c 233.252.0.%d %d --packets %u --rate %u --lose-a 20 "
			 "--lose-b 20 --interface p0 >/dev/null",
			 "ab"[side], 1 + side, 26400 + side, packets, rate_pps);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
}

/* Waits until the feeds are sent, or ends them. */
static void end_feeds(bool now)
{
	for (int side = 0; side < SIDES; side++) {
		if (sides[side] > 0 && now)
			kill(sides[side], SIGKILL);
		if (sides[side] > 0)
			waitpid(sides[side], NULL, 0);
		sides[side] = 0;
	}
}

/* Filters that have every metric, in *text. */
static void write_all_metrics(char **text)
{
	static const struct want_lost lost;
	static struct readings r = { .lost = &lost };
	char *names[] = { "b0" };
	struct config_filter filter = { .name = "b0",
					.wish = { .where = { names, 1, MODE_ANY, false } } };
	const struct config_file file = { .filters = &filter, .cnt = 1, .metrics_all = true };
	size_t size;
	FILE *out = open_memstream(text, &size);
	struct xdp_dedup_receiver *rx;

	assert_non_null(out);
	sh("$XD load b0 --mode skb --port 80 --deliver xsk; $XD resize b0 --capacity 12345");
	sh("%s", LOAD_FEEDS);
	send_feeds(500, 0);
	end_feeds(false);
	assert_int_equal(xdp_dedup_receive_open("b0", &QUEUE, &rx), 0);
	assert_int_equal(readings_refresh(&r, &file), 0);
	assert_int_equal(metrics_write(out, &r), 0);
	fclose(out);
	readings_free(&r);
	xdp_dedup_receive_close(rx);
}

/* Returns whether the publisher, which may be left out of a build, has this metric. */
static bool is_publishers(const char *name)
{
	char out[64];

	return !sh_out(out, sizeof(out),
		       "n=$(echo %s | sed 's/^xdp_dedup_publish_//; s/_total$//; s/_bucket$//'); cd user/publish; "
		       "grep -q \"\\\"publish_$n\\\"\\|X($n,\" publish_metrics.c outbox.h intake.h",
		       name);
}

/* Each word of a file's expressions that begins as our metrics do is one. */
TEST(names_exist)
{
	static const char *const COMMANDS[] = { EXPRESSIONS, "sed -n '/expr:/,/for:/p' " RULES,
						"jq -r '.templating.list[].query' " DASHBOARD };
	char *metrics = NULL, name[128], words[4096];

	need("jq");
	write_all_metrics(&metrics);
	for (size_t i = 0; i < ARRAY_SIZE(COMMANDS); i++) {
		int cnt = 0;

		assert_int_equal(sh_out(words, sizeof(words),
					"%s | grep -o 'xdp_dedup_[a-z_]*' | sort -u", COMMANDS[i]),
				 0);
		for (char *word, *rest = words; (word = strsep(&rest, "\n")) && *word; cnt++) {
			snprintf(name, sizeof(name), "\n%s", word);
			if (!strncmp(word, PUBLISH, strlen(PUBLISH)) ? !is_publishers(word)
								     : !strstr(metrics, name))
				fail_msg("%s: there is no metric %s", COMMANDS[i], word);
		}
		assert_true(cnt >= (i == 2 ? 2 : 8));
	}
	free(metrics);
}

/* Every family of the metrics is on the page for operators. */
TEST(metrics_are_in_the_document)
{
	char *metrics = NULL, out[4096], quoted[128];
	int cnt = 0;

	write_all_metrics(&metrics);
	for (char *line, *rest = metrics; (line = strsep(&rest, "\n"));) {
		char name[64];

		if (sscanf(line, "# TYPE xdp_dedup_%63s ", name) != 1)
			continue;
		cnt++;
		snprintf(quoted, sizeof(quoted), "grep -qF '`%s`' user/service/USAGE.md", name);
		if (sh_out(out, sizeof(out), "%s", quoted))
			fail_msg("user/service/USAGE.md lacks `%s`", name);
	}
	assert_true(cnt > 30);
	free(metrics);
}

/* Scrapes and evaluates each second, and does not wait before it fires. */
static const char CONFIG[] =
	"sed 's/for: .*/for: 0s/; s/\\[5m\\]/[5s]/; s/\\[1m:\\]/[2s:1s]/; s/offset 5m/offset 5s/' " RULES
	" >/mnt/rules.yml\n"
	"cat >/mnt/prometheus.yml <<END\n"
	"global: { scrape_interval: 1s, evaluation_interval: 1s }\n"
	"rule_files: [ /mnt/rules.yml ]\n"
	"scrape_configs: [ { job_name: x, static_configs: [ { targets: [ '127.0.0.1:9947' ] } ] } "
	"]\n"
	"END";

/* Starts what answers scrapes, and Prometheus. */
static void start(void **state)
{
	scrape_setup(state);
	atomic_store(&scrape_shared->real, 1);
	sh("%s", CONFIG);
	sh("rm -rf /mnt/data; mkdir -p /mnt/data");
	prometheus = fork();
	if (prometheus)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("GOMAXPROCS", "1", 1);
	if (!freopen("/mnt/prometheus.log", "w", stdout) || dup2(STDOUT_FILENO, STDERR_FILENO) < 0)
		_exit(1);
	execlp("prometheus", "prometheus", "--config.file=/mnt/prometheus.yml",
	       "--storage.tsdb.path=/mnt/data", "--web.listen-address=127.0.0.1:9090", NULL);
	_exit(1);
}

static int teardown(void **state)
{
	end_feeds(true);
	if (prometheus) {
		kill(prometheus, SIGKILL);
		waitpid(prometheus, NULL, 0);
		prometheus = 0;
		scrape_teardown(state);
	}
	return cli_teardown(state);
}

static int ask(const char *expression)
{
	int status = sh_out(output, sizeof(output), "promtool query instant " AT " '%s'", expression);

	if (!strcmp(output, "\n")) /* nothing */
		*output = '\0';
	return status;
}

static void await(const char *expression, const char *words)
{
	for (int ms = 0; ms < PATIENCE_MS; ms += 300) {
		if (!ask(expression) && strstr(output, words))
			return;
		usleep(300000);
	}
	fail_msg("no '%s' in %s: %s", words, expression, output);
}

/* Every expression of the dashboard is understood, and most have something to show. */
TEST_WITH(dashboard_is_understood, cli_setup, teardown)
{
	struct xdp_dedup_receiver *rx;
	char expressions[16384];
	int cnt = 0, filled = 0;

	need("prometheus");
	need("promtool");
	start(state);
	sh("$XD load b0 --mode skb --name v0 --port 8001 --deliver xsk; $XD resize v0 --capacity 12345");
	sh("%s", LOAD_FEEDS);
	send_feeds(1000000, 500);
	assert_int_equal(xdp_dedup_receive_open("v0", &QUEUE, &rx), 0);
	await("count(xdp_dedup_filter_up)", "=> 2");
	await("count_over_time(xdp_dedup_filter_up[1m]) > 3", "=>"); /* or there are no rates */
	assert_int_equal(sh_out(expressions, sizeof(expressions),
				EXPRESSIONS " | sed 's/\\$__rate_interval/1m/g; s/\\$[a-z]*/.*/g'"),
			 0);
	for (char *line, *rest = expressions; (line = strsep(&rest, "\n")) && *line;) {
		if (ask(line))
			fail_msg("%s: %s", line, output);
		if (strstr(line, PUBLISH))
			continue; /* there is no publisher */
		cnt++;
		filled += !!*output;
	}
	xdp_dedup_receive_close(rx);
	assert_true(cnt > 20);
	assert_in_range(filled, cnt - 4,
			cnt); /* of no packets there are no duplicates, nor of v0 advice */
}

/* Sets every bit, which no ids do. */
static void spoil(const char *name)
{
	struct filter f;

	assert_int_equal(filter_open(name, &f), 0);
	memset(f.blocks, 0xff, f.config->memory.blocks * sizeof(*f.blocks));
	filter_close(&f);
}

/* Has it fired by now? It may pause where a scrape came late. */
#define FIRED "count_over_time(ALERTS{alertstate=\"firing\",alertname=\"%s\",filter=\"%s\"}[10m])"

static bool has_fired(const char *alert, const char *filter)
{
	char expression[256];

	snprintf(expression, sizeof(expression), FIRED, alert, filter);
	assert_int_equal(ask(expression), 0);
	return *output;
}

static const struct {
	const char *alert, *filter;
} FIRES[] = {
	{ "XdpDedupRateAboveTarget", "spoilt" }, { "XdpDedupWindowShortened", "flood" },
	{ "XdpDedupStale", "stopped" },		 { "XdpDedupSkbMode", "skb" },
	{ "XdpDedupNoInterface", "nowhere" },	 { "XdpDedupInterfaceLost", "nowhere" },
	{ "XdpDedupFilterDown", "broken" },	 { "XdpDedupRedundancyLost", "feeds" },
	{ "XdpDedupMessagesLost", "feeds" },
};

TEST_WITH(alerts_fire, cli_setup, teardown)
{
	bool all = false;

	need("prometheus");
	need("promtool");
	sh("for i in 1 2 3 4 5 6; do ip link add w$i group 7 type veth peer name x$i group 7; "
	   "done");
	sh("%s", LOAD_FEEDS);
	sh("$XD load w6 --port 80 --name fine; $XD load w1 --port 80 --name spoilt --capacity "
	   "1000\n"
	   "$XD load w2 --port 80 --name flood --capacity 1000 --window 30s\n"
	   "$XD load w3 --port 80 --name stopped --window 10s; $XD load b0 --mode skb --port 80 "
	   "--name skb\n"
	   "$XD load w4 --port 80 --name nowhere; $XD load w5 --port 80 --name broken");
	spoil("spoilt");
	sh("rm $PINS/stopped/timer; bpftool link detach pinned $PINS/nowhere/link-w4; mv $PINS/broken/stats "
	   "/sys/fs/bpf/stats");
	start(state); /* not before: whoever has the filter open goes on to read it */
	send_feeds(1000000, 500);
	await("count(xdp_dedup_filter_up)", "=> 8");
	for (int i = 0; !all && i < 60; i++) {
		cli_write_ids("/mnt/flood", 1000, 1000 + i);
		sh("$XD add flood - </mnt/flood >&- 2>&- || :");
		usleep(500000);
		all = true;
		for (size_t n = 0; n < ARRAY_SIZE(FIRES) && all; n++)
			all = has_fired(FIRES[n].alert, FIRES[n].filter);
	}
	for (size_t n = 0; n < ARRAY_SIZE(FIRES); n++)
		if (!has_fired(FIRES[n].alert, FIRES[n].filter))
			fail_msg("%s of %s has not fired", FIRES[n].alert, FIRES[n].filter);
	assert_int_equal(ask("count_over_time(ALERTS{filter=\"fine\"}[10m])"), 0);
	assert_string_equal(output, "");
	assert_int_equal(ask("max_over_time(scrape_samples_scraped[10m]) > 300"), 0);
	assert_string_not_equal(output, "");
	sh("mv /sys/fs/bpf/stats $PINS/broken/stats");
}

int main(void)
{
	cli_environment();
	add_own_tests(cli_setup, cli_teardown);
	return run_added_tests("prometheus");
}
