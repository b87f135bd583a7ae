// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The alert rules and the dashboard: that they name metrics that there are, and, with Prometheus
 * (`sudo scripts/deps prometheus`), when rules fire, and that it scrapes filters in the kernel and
 * understands the dashboard.
 */
#include "cli_runner.h"
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

/* Sends both sides, in the background. */
#define SEND_FEEDS                                                                                 \
	"for i in 1 2; do timeout 120 scripts/feed.py $(echo $i | tr 12 ab) 233.252.0.$i "         \
	"$((26399 + i)) --packets %d --rate %d --lose-a 20 --lose-b 20 --interface p0 >/dev/null " \
	"2>&1 & echo $! >>/mnt/feeds; done\n"

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
	sh(SEND_FEEDS "wait", 500, 0);
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

/* Scrapes and evaluates each second. */
static const char CONFIG[] =
	"cat >/mnt/prometheus.yml <<END\n"
	"global: { scrape_interval: 1s, evaluation_interval: 1s }\n"
	"rule_files: [ $PWD/" RULES " ]\n"
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
	if (prometheus) {
		sh("kill $(cat /mnt/feeds) || :");
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
	sh(SEND_FEEDS, 1000000, 500);
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

int main(void)
{
	cli_environment();
	add_own_tests(cli_setup, cli_teardown);
	return run_added_tests("prometheus");
}
