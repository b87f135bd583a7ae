// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Metrics of the senders of numbered streams, of readings that were never taken. */
#include "open_filter.h"
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exposition.h"
#include "metrics.h"

static struct dedup_config config, plain_config;
static struct dedup_state state_of_all;
static struct watched_sender senders[2];
static struct watched md, plain;
static struct watched *list[] = { &md, &plain };
static struct readings all = { .filters = { .list = list, .cnt = 2 } };
static char *text;

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
}

static int make(void **state)
{
	(void)state;
	config = (struct dedup_config){ .policy.streams_cnt = 2, .sources.paths = 2 };
	plain_config = (struct dedup_config){ .policy.streams_cnt = 1 };
	strcpy(config.policy.streams[0].name, "a");
	strcpy(config.policy.streams[1].name, "b");
	make_senders();
	strcpy(md.name, "md");
	strcpy(plain.name, "plain");
	md.err = 0;
	md.senders = (struct sender_watch){ .list = senders, .cnt = 2, .left_out = 9 };
	md.status = (struct status){ .filter = { .config = &config, .state = &state_of_all },
				     .layout = &LAYOUT_BLOCKED,
				     .ifaces_cnt = 2,
				     .mode = "native" };
	md.status.ifaces[0] = (struct status_iface){ .name = "eth1", .ifindex = 1 };
	md.status.ifaces[1] = (struct status_iface){ .name = "eth2", .ifindex = 2 };
	plain.status = (struct status){ .filter = { .config = &plain_config, .state = &state_of_all },
					.layout = &LAYOUT_BLOCKED,
					.mode = "none" };
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

#define SENDER "{filter=\"md\",stream=\"a\",source=\"53455353\"} "
#define LABELS_OF(stream, interface)                                            \
	"{filter=\"md\",stream=\"a\",source=\"53455353\",path_stream=\"" stream \
	"\",interface=\"" interface "\""
#define PATH_A LABELS_OF("a", "eth1") "} "
#define PATH_B LABELS_OF("b", "eth2") "} "
#define SKEW "xdp_dedup_path_skew_seconds_bucket" LABELS_OF("b", "eth2") ",le="

static const char *const LINES[] = {
	"# TYPE xdp_dedup_sender_messages_total counter",
	"xdp_dedup_sender_messages_total" SENDER "500",
	"xdp_dedup_sender_lost_total" SENDER "501",
	"xdp_dedup_sender_restarts_total" SENDER "503",
	"xdp_dedup_sender_jumped_total" SENDER "505",
	"xdp_dedup_sender_other_packets_total" SENDER "504",
	"# TYPE xdp_dedup_sender_missing gauge",
	"xdp_dedup_sender_missing" SENDER "502",
	"xdp_dedup_sender_redundant" SENDER "0",
	"xdp_dedup_sender_redundant{filter=\"md\",stream=\"a\",source=\"\"} 1",
	"xdp_dedup_sender_partial" SENDER "0",
	"xdp_dedup_sender_partial{filter=\"md\",stream=\"a\",source=\"\"} 1",
	"xdp_dedup_senders_left_out{filter=\"md\"} 9",
	"xdp_dedup_path_packets_total" PATH_A "104",
	"xdp_dedup_path_packets_total" PATH_B "204",
	"xdp_dedup_path_messages_total" PATH_B "200",
	"xdp_dedup_path_received_total" PATH_B "205",
	"xdp_dedup_path_first_total" PATH_B "206",
	"xdp_dedup_path_lost_total" PATH_A "101",
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
	SKEW "\"0.000512\"} 7",
	SKEW "\"0.001024\"} 12",
	SKEW "\"8.388608\"} 12",
	SKEW "\"+Inf\"} 13",
};

static void lines_are_there(void **state)
{
	(void)state;
	render();
	for (size_t i = 0; i < ARRAY_SIZE(LINES); i++)
		exposition_has(text, LINES[i]);
	assert_null(strstr(text, "xdp_dedup_sender_messages_total{filter=\"plain"));
	assert_null(strstr(text, "xdp_dedup_senders_left_out{filter=\"plain"));
}

/* The stream was removed by `set`, and the interface from the machine: there may be two of these. */
static void paths_that_are_gone(void **state)
{
	struct source_figures *s = &senders[0].now;

	(void)state;
	s->paths_cnt = 4;
	s->paths[2] = path(-1, 4000000000, 300);
	s->paths[3] = path(-1, 4000000000, 400);
	render();
	exposition_has(text, "xdp_dedup_path_lost_total" LABELS_OF("", "4000000000") "} 301");
	assert_null(strstr(text, "401\n"));
}

/* A filter that cannot be read has none, nor has one without senders. */
static void no_senders(void **state)
{
	(void)state;
	md.senders.cnt = 0;
	render();
	assert_null(strstr(text, "xdp_dedup_path"));
	assert_null(strstr(text, "xdp_dedup_sender_"));
	drop(NULL);
	md.senders.cnt = 2;
	md.err = -EIO;
	render();
	assert_null(strstr(text, "xdp_dedup_path"));
	assert_null(strstr(text, "xdp_dedup_sender"));
}

int main(void)
{
	add_test("lines_are_there", lines_are_there, make, drop, NULL);
	add_test("paths_that_are_gone", paths_that_are_gone, make, drop, NULL);
	add_test("no_senders", no_senders, make, drop, NULL);
	return run_added_any_tests("metrics of senders");
}
