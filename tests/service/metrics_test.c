// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Metrics as text, of readings that were never taken: names, labels, numbers. */
#include "open_filter.h"
#include "unit.h"

#include "exposition.h"
#include "metrics.h"
#include "metrics_out.h"
#include "want_lost.h"

#define S 1000000000ULL

static struct dedup_config config, before_config, array_config;
static struct dedup_state hand;
static struct filter before;
static struct watched_sender senders[2];
static struct watched feed, gone, array;
static struct watched *list[] = { &array, &feed, &gone };
static char *in_file_names[] = { "eth1", "eth2", "eth9" };
static struct config_filter in_file[] = {
	{ .name = "feed", .wish = { .where = { in_file_names, 3, MODE_ANY, false } } },
	{ .name = "gone", .wish = { .where = { in_file_names, 3, MODE_ANY, false } } },
};
static const struct config_file file = { .filters = in_file, .cnt = ARRAY_SIZE(in_file) };
static struct recovered recovered = { .name = "feed", .packets = { .wanted = 7, .unwanted = 8 } };
static struct recovered *recovered_list[] = { &recovered };
static const struct want_lost lost = { .list = recovered_list, .cnt = 1, .unread = 9 };
static struct readings all = {
	.filters = { .list = list, .cnt = 3 },
	.wanted = &file,
	.take_ns = 2500000,
	.refresh_ns = 30 * S / 1000,
	.lost = &lost,
};
static char *text;

/* Each counter has another value, of each stream. */
static void count(struct filter_counters *c, uint64_t from)
{
#define X(name, help) c->name = from++;
	DEDUP_COUNTERS(X)
#undef X
	c->dropped_bytes = from;
}

static void make_feed(void)
{
	struct status *s = &feed.status;

	config = (struct dedup_config){ .memory.capacity = 1000000,
					.memory.fpr_e18 = 100000000000000,
					.memory.window_ns = 600 * S,
					.memory.blocks = 1000,
					.memory.words = 2,
					.memory.bits = 3,
					.memory.k = 6,
					.policy.streams_cnt = 2,
					.policy.deliver = 1,
					.sources.paths = 2 };
	strcpy(config.policy.streams[0].name, "a");
	strcpy(config.policy.streams[1].name, "b");
	hand.late_max_ns = S / 4;
	strcpy(feed.name, "feed");
	feed.err = 0;
	feed.hand_lag_ns = 1500000;
	feed.fill_ns = 3 * S;
	*s = (struct status){ .filter = { .config = &config, .state = &hand },
			      .layout = &LAYOUT_BLOCKED,
			      .ifaces_cnt = 3,
			      .mode = "mixed",
			      .fpr = 2e-5,
			      .hand = 0.25,
			      .turns = 7,
			      .oldest_ns = 900 * S,
			      .pace = { .ids = 5, .age_ns = 590 * S } };
	s->ifaces[0] = (struct status_iface){ "eth0", 1, MODE_NATIVE, .shared = true,
					      .state = IFACE_ATTACHED };
	s->ifaces[1] =
		(struct status_iface){ "eth1", 2, MODE_SKB, .native = 1, .state = IFACE_ATTACHED };
	s->ifaces[2] = (struct status_iface){ "eth2", 3, MODE_ANY, .state = IFACE_GONE };
	s->fill = (struct fill){
		.current = 0.125, .previous = 0.5, .ids = 1234.5, .ids_error = 3, .read_part = 0.25
	};
	count(&s->counters, 1000);
	count(&s->streams[0], 2000);
	count(&s->streams[1], 3000);
	feed.advice[0].key = "too_small";
	feed.advice_cnt = 1;
}

/* Each figure has another value. */
static struct path_figures path(int stream, uint32_t ifindex, uint64_t from)
{
	return (struct path_figures){ .stream = stream,
				      .ifindex = ifindex,
				      .messages = from,
				      .lost = from + 1,
				      .missing = from + 2,
				      .behind = from + 3,
				      .silent = ifindex == 2,
				      .counted = { .packets = from + 4,
						   .received = from + 5,
						   .first = from + 6,
						   .out_of_order = from + 7,
						   .repeated = from + 8,
						   .late = from + 9,
						   .far = from + 10,
						   .unnoted = from + 11 } };
}

static void make_senders(void)
{
	struct source_figures *s = &senders[0].now;

	memset(senders, 0, sizeof(senders));
	strcpy(senders[0].source, "53455353");
	strcpy(senders[0].stream, "a");
	*s = (struct source_figures){ .messages = 500,
				      .lost = 501,
				      .missing = 502,
				      .restarts = 503,
				      .others = 504,
				      .jumped = 505,
				      .paths_cnt = 2 };
	s->paths[0] = path(0, 1, 100);
	s->paths[1] = path(1, 2, 200);
	s->paths[1].counted.skew[0] = 3;
	s->paths[1].counted.skew[1] = 4;
	s->paths[1].counted.skew[10] = 5;
	s->paths[1].counted.skew[DEDUP_SKEWS - 1] = 1;
	senders[1] = senders[0];
	strcpy(senders[1].source, "");
	senders[1].now.redundant = senders[1].now.partial = true;
	feed.senders = (struct sender_watch){ .list = senders, .cnt = 2, .left_out = 9 };
}

static int make(void **state)
{
	(void)state;
	make_feed();
	make_senders();
	before_config = config;
	before_config.memory.window_ns = 60 * S;
	before.config = &before_config;
	array_config = (struct dedup_config){ .memory.layout = DEDUP_COUNTDOWN,
					      .memory.m = 1 << 20,
					      .memory.k = 3,
					      .memory.places = 15,
					      .memory.blocks = 9 };
	strcpy(array.name, "array");
	array.status = (struct status){ .filter = { .config = &array_config, .state = &hand },
					.layout = &LAYOUT_COUNTDOWN,
					.mode = "none" };
	strcpy(gone.name, "gone");
	gone.err = -ENOENT;
	return 0;
}

static int drop(void **state)
{
	(void)state;
	free(text);
	text = NULL;
	return 0;
}

static void render(void)
{
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(metrics_write(out, &all), 0);
	assert_int_equal(fclose(out), 0);
	exposition_check(text);
}

#define SENDER "{filter=\"feed\",stream=\"a\",source=\"53455353\"} "
#define LABELS_OF(stream, interface)                                              \
	"{filter=\"feed\",stream=\"a\",source=\"53455353\",path_stream=\"" stream \
	"\",interface=\"" interface "\""
#define PATH_A LABELS_OF("a", "eth0") "} "
#define PATH_B LABELS_OF("b", "eth1") "} "
#define SKEW "xdp_dedup_path_skew_seconds_bucket" LABELS_OF("b", "eth1") ",le="

static const char *const LINES[] = {
	"xdp_dedup_collect_duration_seconds 0.0025",
	"xdp_dedup_refresh_duration_seconds 0.03",
	"xdp_dedup_recover_on 0",
	"xdp_dedup_recover_unread_total 9",
	"xdp_dedup_recover_wanted_total{filter=\"feed\"} 7",
	"xdp_dedup_recover_unwanted_total{filter=\"feed\"} 8",
	"xdp_dedup_filter_up{filter=\"feed\"} 1",
	"xdp_dedup_filter_up{filter=\"gone\"} 0",
	("xdp_dedup_filter_info{filter=\"feed\",layout=\"blocked\",hash=\"fast\",action=\"drop\","
	 "learn=\"kernel\",ihave=\"drop\",mode=\"mixed\"} 1"),
	("xdp_dedup_interface_info{filter=\"feed\",interface=\"eth0\",state=\"attached\",mode="
	 "\"native\",shared=\"true\"} 1"),
	("xdp_dedup_interface_info{filter=\"feed\",interface=\"eth1\",state=\"attached\",mode="
	 "\"skb\",shared=\"false\"} 1"),
	("xdp_dedup_interface_info{filter=\"feed\",interface=\"eth2\",state=\"gone\",mode=\"none\","
	 "shared=\"false\"} 1"),
	"xdp_dedup_interface_up{filter=\"feed\",interface=\"eth1\"} 1",
	"xdp_dedup_interface_up{filter=\"feed\",interface=\"eth2\"} 0",
	"xdp_dedup_interface_up{filter=\"feed\",interface=\"eth9\"} 0",
	"xdp_dedup_attached_interfaces{filter=\"array\"} 0",
	"xdp_dedup_attached_interfaces{filter=\"feed\"} 2",
	"# TYPE xdp_dedup_packets_total counter",
	"xdp_dedup_dropping{filter=\"feed\"} 1",
	"xdp_dedup_capacity_ids{filter=\"feed\"} 1000000",
	"xdp_dedup_estimated_ids{filter=\"feed\"} 1234.5",
	"xdp_dedup_estimated_ids_error{filter=\"feed\"} 3",
	"xdp_dedup_target_fpr_ratio{filter=\"feed\"} 0.0001",
	"xdp_dedup_estimated_fpr_ratio{filter=\"feed\"} 2e-05",
	"xdp_dedup_window_seconds{filter=\"feed\"} 600",
	"xdp_dedup_effective_window_seconds{filter=\"feed\"} 590",
	"xdp_dedup_oldest_id_age_seconds{filter=\"feed\"} 900",
	"xdp_dedup_hand_position_ratio{filter=\"feed\"} 0.25",
	"xdp_dedup_hand_turns{filter=\"feed\"} 7",
	"xdp_dedup_hand_lag_seconds{filter=\"feed\"} 0.0015",
	"xdp_dedup_hand_lag_max_seconds{filter=\"feed\"} 0.25",
	"xdp_dedup_hand_stopped{filter=\"feed\"} 0",
	"xdp_dedup_memory_bytes{filter=\"feed\"} 12655104",
	"xdp_dedup_fill_read_ratio{filter=\"feed\"} 0.25",
	"xdp_dedup_fill_age_seconds{filter=\"feed\"} 3",
	"xdp_dedup_change_unfinished{filter=\"feed\"} 0",
	"xdp_dedup_fill_ratio{filter=\"feed\",generation=\"current\"} 0.125",
	"xdp_dedup_fill_ratio{filter=\"feed\",generation=\"previous\"} 0.5",
	"xdp_dedup_fill_ratio{filter=\"array\",generation=\"current\"} 0",
	"xdp_dedup_geometry{filter=\"feed\",parameter=\"blocks\"} 1000",
	"xdp_dedup_geometry{filter=\"array\",parameter=\"m\"} 1048576",
	"xdp_dedup_advice{filter=\"feed\",advice=\"too_small\"} 1",
	"# TYPE xdp_dedup_sender_messages_total counter",
	"xdp_dedup_sender_messages_total" SENDER "500",
	"xdp_dedup_sender_lost_total" SENDER "501",
	"xdp_dedup_sender_restarts_total" SENDER "503",
	"xdp_dedup_sender_jumped_total" SENDER "505",
	"xdp_dedup_sender_other_packets_total" SENDER "504",
	"# TYPE xdp_dedup_sender_missing gauge",
	"xdp_dedup_sender_missing" SENDER "502",
	"xdp_dedup_sender_redundant" SENDER "0",
	"xdp_dedup_sender_redundant{filter=\"feed\",stream=\"a\",source=\"\"} 1",
	"xdp_dedup_sender_partial" SENDER "0",
	"xdp_dedup_sender_partial{filter=\"feed\",stream=\"a\",source=\"\"} 1",
	"xdp_dedup_senders_left_out{filter=\"feed\"} 9",
	"xdp_dedup_path_packets_total" PATH_B "204",
	"xdp_dedup_path_messages_total" PATH_B "200",
	"xdp_dedup_path_received_total" PATH_B "205",
	"xdp_dedup_path_first_total" PATH_B "206",
	"xdp_dedup_path_lost_total" PATH_B "201",
	"xdp_dedup_path_out_of_order_total" PATH_B "207",
	"xdp_dedup_path_repeated_total" PATH_B "208",
	"xdp_dedup_path_late_total" PATH_B "209",
	"xdp_dedup_path_far_total" PATH_B "210",
	"xdp_dedup_path_unnoted_total" PATH_B "211",
	"xdp_dedup_path_missing" PATH_B "202",
	"xdp_dedup_path_behind" PATH_B "203",
	"xdp_dedup_path_silent" PATH_A "0",
	"xdp_dedup_path_silent" PATH_B "1",
	"# TYPE xdp_dedup_path_skew_seconds histogram",
	SKEW "\"1e-06\"} 3",
	SKEW "\"2e-06\"} 7",
	SKEW "\"0.001024\"} 12",
	SKEW "\"8.388608\"} 12",
	SKEW "\"+Inf\"} 13",
};

TEST(lines_are_there)
{
	render();
	for (size_t i = 0; i < ARRAY_SIZE(LINES); i++)
		exposition_has(text, LINES[i]);
	assert_null(strstr(text, "xdp_dedup_predecessor"));
	assert_null(strstr(text, "xdp_dedup_socket"));
	assert_null(strstr(text, "info{filter=\"gone\"")); /* nothing is known of "gone" */
	assert_null(strstr(text, "total{filter=\"gone\""));
	assert_null(strstr(text, "array\",generation=\"previous\""));
	assert_null(strstr(text, "xdp_dedup_sender_messages_total{filter=\"array"));
	assert_null(strstr(text, "xdp_dedup_senders_left_out{filter=\"array"));
}

/* Each counter of the one list; those of no stream are the filter's. */
TEST(every_counter)
{
	char line[256];
	uint64_t n = 0;
	bool is_whole;

	render();
#define X(name, help)                                                                               \
	snprintf(line, sizeof(line),                                                                \
		 "xdp_dedup_packets_total{filter=\"feed\",stream=\"%s\",reason=\"" #name "\"} %ju", \
		 strcmp(#name, "ignored") ? "b" : "",                                               \
		 (uintmax_t)n + (strcmp(#name, "ignored") ? 3000 : 1000));                          \
	exposition_has(text, line);                                                                 \
	n++;
	DEDUP_REASONS(X)
#undef X
#define X(name, help)                                                                         \
	is_whole = !strcmp(#name, "rx") || !strcmp(#name, "early") || !strcmp(#name, "late"); \
	snprintf(line, sizeof(line), "_total{filter=\"feed\"%s} %ju\n",                       \
		 is_whole ? "" : ",stream=\"b\"", (uintmax_t)n + (is_whole ? 1000 : 3000));   \
	if (!strstr(text, line) || !strstr(text, "xdp_dedup_" #name "_"))                     \
		fail_msg("%s: no %s in %s", #name, line, text);                               \
	n++;
	DEDUP_SUMS(X)
	DEDUP_TOTALS(X)
#undef X
	/* Stream a is delivered, stream b is not. */
#define X(name, help)                                                                       \
	snprintf(line, sizeof(line),                                                        \
		 "xdp_dedup_deliveries_total{filter=\"feed\",stream=\"a\",outcome=\"" #name \
		 "\"} %ju",                                                                 \
		 (uintmax_t)n + 2000);                                                      \
	exposition_has(text, line);                                                         \
	n++;
	DEDUP_DELIVERIES(X)
#undef X
	assert_null(strstr(text, "stream=\"b\",outcome"));
	snprintf(line, sizeof(line),
		 "xdp_dedup_dropped_bytes_total{filter=\"feed\",stream=\"a\"} %ju",
		 (uintmax_t)n + 2000);
	exposition_has(text, line);
}

TEST(predecessor)
{
	feed.status.filter.predecessor = &before;
	feed.status.predecessor = (struct status_predecessor){ .fill = { .ids = 17, .fpr = 0.5 },
							       .left_ns = 90 * S,
							       .asked = true };
	render();
	exposition_has(text, "xdp_dedup_predecessor_asked{filter=\"feed\"} 1");
	exposition_has(text, "xdp_dedup_predecessor_learns{filter=\"feed\"} 0");
	exposition_has(text, "xdp_dedup_predecessor_left_seconds{filter=\"feed\"} 90");
	exposition_has(text, "xdp_dedup_predecessor_window_seconds{filter=\"feed\"} 60");
	exposition_has(text, "xdp_dedup_predecessor_estimated_ids{filter=\"feed\"} 17");
	exposition_has(text, "xdp_dedup_predecessor_estimated_fpr_ratio{filter=\"feed\"} 0.5");
	exposition_has(text, "xdp_dedup_predecessor_memory_bytes{filter=\"feed\"} 64000");
	assert_null(strstr(text, "predecessor_asked{filter=\"array\"}"));
}

/* One of an interface that has a name here, one of another. */
TEST(sockets)
{
	static struct sockets two = { .cnt = 2 };

	two.list[0] = (struct socket_seen){ .queue = { 2, 3 },
					    .pid = 1,
					    .is_read = true,
					    .zerocopy = true,
					    .frames_free = 500,
					    .frames_taken = 12,
					    .unreturned = 6 };
	two.list[1] = (struct socket_seen){ .queue = { 4000000000, 0 }, .pid = 1, .unreturned = 7 };
	feed.status.sockets = &two;
	render();
#define OF_TWO "{filter=\"feed\",interface=\"eth1\",queue=\"3\"} "
	exposition_has(text, "xdp_dedup_socket_read" OF_TWO "1");
	exposition_has(text, "xdp_dedup_socket_zerocopy" OF_TWO "1");
	exposition_has(text, "xdp_dedup_socket_frames_free" OF_TWO "500");
	exposition_has(text, "xdp_dedup_socket_frames_taken" OF_TWO "12");
	exposition_has(text, "xdp_dedup_socket_unreturned" OF_TWO "6");
#define ELSEWHERE "{filter=\"feed\",interface=\"4000000000\",queue=\"0\"} "
	exposition_has(text, "xdp_dedup_socket_read" ELSEWHERE "0");
	exposition_has(text, "xdp_dedup_socket_unreturned" ELSEWHERE "7");
}

/* The stream was removed by `set`, and the interface from the machine: there may be two of these. */
TEST(paths_that_are_gone)
{
	struct source_figures *s = &senders[0].now;

	s->paths_cnt = 4;
	s->paths[2] = path(-1, 4000000000, 300);
	s->paths[3] = path(-1, 4000000000, 400);
	render();
	exposition_has(text, "xdp_dedup_path_lost_total" LABELS_OF("", "4000000000") "} 301");
	assert_null(strstr(text, "401\n"));
}

/* A filter that cannot be read has none, nor has one without senders. */
TEST(no_senders)
{
	feed.senders.cnt = 0;
	render();
	assert_null(strstr(text, "xdp_dedup_path"));
	assert_null(strstr(text, "xdp_dedup_sender_"));
	drop(NULL);
	feed.senders.cnt = 2;
	feed.err = -EIO;
	render();
	assert_null(strstr(text, "xdp_dedup_path"));
	assert_null(strstr(text, "xdp_dedup_sender"));
}

/* The window cannot be longer than it is, and is none once the hand has stopped. */
TEST(effective_window)
{
	feed.status.pace.age_ns = 700 * S;
	render();
	exposition_has(text, "xdp_dedup_effective_window_seconds{filter=\"feed\"} 600");
	drop(NULL);
	feed.status.stopped = true;
	render();
	exposition_has(text, "xdp_dedup_effective_window_seconds{filter=\"feed\"} 0");
	exposition_has(text, "xdp_dedup_hand_stopped{filter=\"feed\"} 1");
}

/* Two other network namespaces may each have an eth0: both would give one metric, which is written
 * once.
 */
TEST(namesakes)
{
	for (int i = 0; i < 3; i++)
		feed.status.ifaces[i] =
			(struct status_iface){ .name = "eth0", .state = IFACE_OTHER_NETNS };
	render();
	exposition_has(text,
		       "xdp_dedup_interface_info{filter=\"feed\",interface=\"eth0\",state=\"other netns\","
		       "mode=\"none\",shared=\"false\"} 1");
}

/* If it cannot be told whether the filter runs there, the metric is absent. */
TEST(untold_interfaces)
{
	feed.status.ifaces[1].state = IFACE_UNKNOWN;
	gone.err = -EIO;
	render();
	assert_null(strstr(text, "interface_up{filter=\"feed\",interface=\"eth1\""));
	exposition_has(text, "xdp_dedup_interface_up{filter=\"feed\",interface=\"eth9\"} 0");
	assert_null(strstr(text, "interface_up{filter=\"gone\""));
}

TEST_WITH(no_filter, NULL, drop)
{
	static const struct readings none;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(metrics_write(out, &none), 0);
	fclose(out);
	exposition_check(text);
	assert_null(strstr(text, "filter"));
}

TEST_WITH(full_disk, make, NULL)
{
	FILE *out = fopen("/dev/full", "we");

	assert_non_null(out);
	assert_int_equal(metrics_write(out, &all), -ENOSPC);
	fclose(out);
}

static const struct number {
	const char *name;
	double value;
	const char *text;
} NUMBERS[] = {
	{ "zero", 0, "0" },
	{ "third", 1.0 / 3, "0.3333333333333333" },
	{ "sum-that-is-off", 0.1 + 0.2, "0.30000000000000004" },
	{ "large", 9007199254740993.0, "9007199254740992" },
	{ "two-to-64", 18446744073709551616.0, "1.8446744073709552e+19" },
	{ "below-zero", -2.5, "-2.5" },
	{ "none", NAN, "NaN" },
	{ "endless", INFINITY, "+Inf" },
};

/* What one sample of a gauge without labels becomes, or with one of this value. */
static const char *sample_of(double value, const char *label)
{
	struct metrics_out m = { 0 };
	size_t size;

	m.out = open_memstream(&text, &size);
	assert_non_null(m.out);
	metrics_family(&m, METRICS_GAUGE, "x", "Help\\ and \"more\"\nthan a line.");
	metrics_gauge(&m, value, METRICS_LABELS(label ? "l" : NULL, label));
	assert_int_equal(metrics_end(&m), 0);
	fclose(m.out);
	exposition_has(text, "# HELP xdp_dedup_x Help\\\\ and \"more\"\\nthan a line.");
	return strrchr(text, '#') + strcspn(strrchr(text, '#'), "\n") + 1;
}

TEST_ROWS_WITH(number_is_written, NUMBERS, NULL, drop)
{
	char line[64];

	snprintf(line, sizeof(line), "xdp_dedup_x %s\n", row->text);
	assert_string_equal(sample_of(row->value, NULL), line);
}

static const struct label {
	const char *name, *value, *written;
} LABELS[] = {
	{ "plain", "eth0", "eth0" },
	{ "quote", "a\"b", "a\\\"b" },
	{ "backslash", "a\\b", "a\\\\b" },
	{ "newline", "a\nb", "a\\nb" },
	{ "utf-8", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
	{ "no-utf-8", "a\xff\xfe", "a\\\\xff\\\\xfe" },
	{ "cut", "\xe2\x82", "\\\\xe2\\\\x82" },
	{ "cut-before-another", "\xe2\x82z", "\\\\xe2\\\\x82z" },
	{ "overlong", "\xc0\xaf", "\\\\xc0\\\\xaf" },
	{ "surrogate", "\xed\xa0\x80", "\\\\xed\\\\xa0\\\\x80" },
	{ "beyond", "\xf4\x90\x80\x80", "\\\\xf4\\\\x90\\\\x80\\\\x80" },
};

TEST_ROWS_WITH(label_is_escaped, LABELS, NULL, drop)
{
	char line[256];

	snprintf(line, sizeof(line), "xdp_dedup_x{l=\"%s\"} 1\n", row->written);
	assert_string_equal(sample_of(1, row->value), line);
}

UNIT_MAIN_WITH(make, drop)
