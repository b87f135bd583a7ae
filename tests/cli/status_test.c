// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the tool tells of a filter: as text, as JSON, and to bpftool; and what it does not. */
#include "cli_runner.h"

#include <net/if.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "intercept.h"
#include "kernel.h"
#include "open.h"
#include "packet.h"
#include "blocked_size.h"
#include "stats.h"

static const struct {
	enum json_type type;
	const char *keys;
} STATUS_KEYS[] = {
	{ json_type_string, "name mode action learn ihave layout hash" },
	{ json_type_array, "interfaces ports advice" },
	{ json_type_object, "counters" },
	{ json_type_boolean, "stopped fill_sampled" },
	{ json_type_int, "blocks words bits hashes capacity window_ns filter_bytes hand_turns "
			 "oldest_id_ns bytes_kept_away" },
	{ json_type_double, "fpr hand_position fill fill_current fill_previous fill_read_part "
			    "ids_estimate ids_estimate_error fpr_estimate" },
};

static void assert_keys(json_object *status)
{
	for (size_t i = 0; i < ARRAY_SIZE(STATUS_KEYS); i++) {
		char *keys = strdup(STATUS_KEYS[i].keys), *rest = keys;

		for (char *key; (key = strsep(&rest, " "));)
			assert_int_equal(json_object_get_type(member(status, key)),
					 STATUS_KEYS[i].type);
		free(keys);
	}
}

static void assert_counters(json_object *counters)
{
	int cnt = 0;

#define X(name, help)                                                                   \
	assert_int_equal(json_object_get_type(member(counters, #name)), json_type_int); \
	cnt++;
	DEDUP_COUNTERS(X)
#undef X
	assert_int_equal(json_object_object_length(counters), cnt);
}

TEST(status_as_json)
{
	const int ids = 45000;
	struct geometry g;
	json_object *o;
	double most;

	sh("$XD load v0 p0 --port 80,90-99 --capacity 50k --window 2h");
	cli_write_ids("/mnt/ids", ids, 1);
	sh("$XD add v0 - </mnt/ids >/mnt/words && [ $(grep -c ' new$' /mnt/words) -gt 44950 ]");
	o = tool_status("v0");
	assert_keys(o);
	assert_counters(member(o, "counters"));
	sh("$XD status v0 --json | jq -e '[.name, .mode, .layout, .hash, .action, .learn, .ihave] =="
	   "	[\"v0\", \"native\", \"blocked\", \"fast\", \"drop\", \"kernel\", \"drop\"] and"
	   "	.ports == [[80, 80], [90, 99]] and"
	   "	[.interfaces[] | select(.link_id > 0) | del(.link_id)] =="
	   "	[{name: \"v0\", state: \"attached\", mode: \"native\", shared: false},"
	   "	 {name: \"p0\", state: \"attached\", mode: \"native\", shared: false}]'");
	assert_true(number(o, "capacity") == 50000 && number(o, "window_ns") == 7200e9);
	assert_true(number(o, "blocks") * 64 == number(o, "filter_bytes"));
	assert_true(number(o, "words") * number(o, "bits") == number(o, "hashes"));
	assert_number(o, "fpr", 1e-4);
	assert_true(number(o, "fill_current") > 0.01);
	assert_true(number(o, "fill_previous") < number(o, "fill_current") / 10);
	assert_near(o, "fill", (number(o, "fill_current") + number(o, "fill_previous")) / 2, 1e-6);
	assert_near(o, "ids_estimate", ids, 0.05);
	/* One half is full of a turn's ids, the other yet empty: size_fpr counts both. A secret
	 * makes it more or less, as the fullest blocks happen to be.
	 */
	g = (struct geometry){ number(o, "blocks"), number(o, "words"), number(o, "bits") };
	most = size_fpr(&g, ids);
	assert_true(number(o, "fpr_estimate") > most * 0.3);
	assert_true(number(o, "fpr_estimate") < most);
	json_object_put(o);
}

/* Keys of objects in them, too; not the counters, which are in a list of their own. */
TEST(every_key_is_in_the_manual)
{
	static const char *const OPTIONS[] = {
		"--port 80 --layout flat",
		"--port 80 --layout countdown",
		"--port 80 --deliver xsk",
		"--profile moldudp64:80@10.0.0.1 --profile rtp:81 --paths 2 --tunnels gre --vlan 7",
	};
	char out[4096];

	if (sh_out(out, sizeof(out), "command -v ${CC:-cc}"))
		skip();
	sh("TABLES=/dev/null scripts/manual user/man/xdp-dedup.8 $XD >/mnt/page");
	for (size_t i = 0; i < ARRAY_SIZE(OPTIONS); i++) {
		sh("$XD load v0 p0 %s", OPTIONS[i]);
		sh("$XD resize v0 --capacity 2M || true");
		sh_out(out, sizeof(out),
		       "{ $XD status v0 --json; $XD watch v0 --json --count 1\n"
		       "for l in blocked flat countdown; do $XD size --layout $l --json; done; } |"
		       " jq -r 'del(.. | .counters?) | paths | map(if type == \"number\" then \"[]\""
		       "	else \".\" + . end) | join(\"\")[1:]' | grep -v ']$' | sort -u >/mnt/keys\n"
		       "[ $(wc -l </mnt/keys) -gt 90 ] || echo too few\n"
		       "while read -r key; do grep -qF \"fB$key\\\\fR\" /mnt/page || echo $key; done"
		       " </mnt/keys");
		assert_string_equal(out, "");
		sh("$XD unload v0 p0");
	}
}

/* Two of one event and another through the program, on no interface: rx 3. */
static void run_events(void)
{
	static const struct id IDS[] = { { { 1 } }, { { 1 } }, { { 2 } } };
	static struct frame frame;
	int fd = bpf_obj_get(PIN_ROOT "/v0/prog");

	assert_return_code(fd, errno);
	for (size_t i = 0; i < ARRAY_SIZE(IDS); i++) {
		LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame.data, .repeat = 1);

		frame_build(&frame, &(struct frame_plan){ .body = 18 }, &IDS[i]);
		opts.data_size_in = frame.len;
		assert_int_equal(bpf_prog_test_run_opts(fd, &opts), 0);
		assert_int_equal(opts.retval, i == 1 ? XDP_DROP : XDP_PASS);
	}
	close(fd);
}

#define X(name, help) #name " "
static const char DUMPED[] = DEDUP_REASONS(X) DEDUP_TOTALS(X);
#undef X

/* bpftool names the counters, by BTF, as status does, and both show equal numbers. */
TEST(dump_of_stats)
{
	sh(LOAD);
	run_events();
	sh("bpftool map dump pinned $PINS/v0/stats -j >/mnt/dump; $XD status v0 --json >/mnt/status\n"
	   "jq -e -n --slurpfile dump /mnt/dump --slurpfile status /mnt/status '"
	   "	[$dump[0][0].formatted.values[].value] as $cpus | $status[0].counters as $all |"
	   "	(\"%s\" | split(\" \") | .[:-1] |"
	   "		all(. as $key | ([$cpus[][$key]] | add) == $all[$key])) and"
	   "	($all | [.rx, .new, .duplicate, .dropped, .duplicate_bytes] == [3, 2, 1, 1, 100]) and"
	   "	$status[0].bytes_kept_away == 100'",
	   DUMPED);
	assert_run(0, "$XD status v0");
	assert_says("\n  duplicate                     1  33.33 %%  a duplicate: its id is in");
	assert_says("\n  kept away   100 B\n");
	/* What packets taught, the tool knows. */
	assert_run(0, "$XD test v0 01" ZEROS);
	assert_string_equal(output, "01" ZEROS " known\n");
}

#define FEED_SOURCE 10 /* bytes; the number is behind them */
#define FEED_PORT 5004 /* of stream a; that of b is the next one */
#define COPIED_MS 10000

/* A packet of the feed, which comes on v0: of stream a or b, with this number. */
static void run_feed(char stream, uint32_t number, enum xdp_action verdict)
{
	static struct frame frame;
	struct xdp_md ctx = { .ingress_ifindex = if_nametoindex("v0") };
	int fd = bpf_obj_get(PIN_ROOT "/v0/prog");
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame.data, .ctx_in = &ctx,
		    .ctx_size_in = sizeof(ctx));

	assert_return_code(fd, errno);
	frame_build(&frame, &(struct frame_plan){ .body = 18 }, &NO_ID);
	frame_put(&frame, frame.udp + 2, 2, FEED_PORT + stream - 'a');
	for (int i = 0; i < FEED_SOURCE; i++)
		frame_put(&frame, frame.udp + 8 + i, 1, 1 + i);
	frame_put(&frame, frame.udp + 8 + FEED_SOURCE, 4, 0);
	frame_put(&frame, frame.udp + 8 + FEED_SOURCE + 4, 4, number);
	opts.data_size_in = ctx.data_end = frame.len;
	assert_int_equal(bpf_prog_test_run_opts(fd, &opts), 0);
	assert_int_equal(opts.retval, verdict);
	close(fd);
}

/* Waits until a filter of this condition, of jq, holds for the map `accounts`. */
static void await_accounts(const char *condition)
{
	sh("i=0; until bpftool map dump pinned $PINS/v0/accounts -j | jq -e 'map(.formatted) | %s'\n"
	   "do i=$((i + 1)); [ $i -lt %d ] || exit 1; sleep 0.05; done",
	   condition, COPIED_MS / 50);
}

/* Waits until its first two paths have so many packets. */
static void await_packets(int a, int b)
{
	char condition[128];

	snprintf(condition, sizeof(condition),
		 "[.[:2][] | .key, .value.path.packets] == [0, %d, 1, %d]", a, b);
	await_accounts(condition);
}

/* Does the map have what status has of the only sender and its two paths? */
static void check_accounts(void)
{
	sh("bpftool map dump pinned $PINS/v0/accounts -j >/mnt/dump; $XD status v0 --json >/mnt/status\n"
	   "jq -e -n --slurpfile dump /mnt/dump --slurpfile status /mnt/status '"
	   "	$status[0].senders[0] as $sender | $dump[0] | length == 2 * 200 and"
	   "	([.[:2], $sender.paths] | transpose | all(.[0].formatted.value as $is | .[1] as $path |"
	   "	($is | [.stream, .ifindex]) == ($path | [.stream, .ifindex]) and"
	   "	([$is.path, $path] | map([.packets, .received, .first, .out_of_order, .repeated, .late,"
	   "		.far, .unnoted, .skew]) | .[0] == .[1]) and"
	   "	([$is, $sender] | map([.messages, .restarts, .other_packets]) | .[0] == .[1]) and"
	   "	($is.source | length > %d and .[:%d] == [range(1; %d + 1)] and add == (.[:%d] | add))))'",
	   FEED_SOURCE, FEED_SOURCE, FEED_SOURCE, FEED_SOURCE);
}

/* Without packets, too, a path loses the name of its stream when that is removed. */
static void check_stream_is_removed(void)
{
#define SET_A "$XD set v0 --profiles /mnt/feed.ini --profile a=feed:5004#f"
	sh(SET_A);
	await_accounts(".[1].value | .stream == \"\" and .path.packets == 14");
	sh(SET_A " --profile b=feed:5005#f");
}

/* bpftool names what each path brings, by BTF, as status does. */
TEST(dump_of_accounts)
{
	sh("printf '[profile feed]\nlayer = udp\nsource = payload+0:10\nsequence = "
	   "payload+10:8\nreset = 1h\n' >/mnt/feed.ini; $XD load v0 --paths 2 --sources 200 "
	   "--profiles /mnt/feed.ini --profile a=feed:5004#f --profile b=feed:5005#f");
	for (uint32_t n = 7; n < 27; n++)
		run_feed('a', n, XDP_PASS);
	for (uint32_t n = 7; n < 17; n++)
		run_feed('b', n, XDP_DROP);
	run_feed('b', 30, XDP_PASS);
	run_feed('b', 29, XDP_PASS);
	await_packets(20, 12);
	check_accounts();
	/* Another program over the memory goes on with it. */
	sh("$XD set v0 --action count");
	run_feed('b', 30, XDP_PASS);
	await_packets(20, 13);
	/* So it does if the program before it had no such map, as earlier versions. */
	sh("rm $PINS/v0/accounts; $XD set v0 --action drop");
	await_packets(20, 13);
	run_feed('b', 30, XDP_DROP);
	await_packets(20, 14);
	check_stream_is_removed();
	/* What is forgotten is not shown. */
	sh("$XD reset v0");
	await_packets(0, 0);
	run_feed('b', 7, XDP_PASS);
	sh("$XD resize v0 --capacity 10k");
	await_packets(0, 0);
	run_feed('b', 8, XDP_PASS);
	await_packets(1, 0);
	sh("$XD unload v0; ! ls $PINS; $XD load v0 --port 8001; ! ls $PINS/v0/accounts");
}

TEST(secret_is_never_shown)
{
	static const char *const COMMANDS[] = { "load p0 --port 80 --name y --verbose",
						"status",
						"status --json --verbose",
						"rotate v0 --verbose",
						"add v0 - --verbose",
						"unload --name v0 --verbose" };
	struct dedup_config config;
	char command[128], word[16];
	struct filter f;

	sh(LOAD);
	assert_int_equal(filter_open("v0", &f), 0);
	config = *f.config;
	filter_close(&f);
	for (size_t i = 0; i < ARRAY_SIZE(COMMANDS); i++) {
		snprintf(command, sizeof(command), "$XD %s", COMMANDS[i]);
		assert_run(0, command);
		for (int k = 0; k < DEDUP_KEYS; k++) {
			snprintf(word, sizeof(word), "%u", config.secrets.key[k]);
			assert_true(strlen(word) < 7 || !strstr(output, word));
			snprintf(word, sizeof(word), "%x", config.secrets.key[k]);
			assert_true(strlen(word) < 7 || !strstr(output, word));
		}
	}
}

/* Asked a hundred thousand times, between two steps and during them. */
TEST(hand_goes)
{
	uint64_t first_ns;
	struct filter f;
	int stopped = 0;

	sh(LOAD " --window 250ms --capacity 1000");
	assert_int_equal(filter_open("v0", &f), 0);
	first_ns = READ_ONCE(f.state->last_ns);
	for (uint64_t end = kernel_now_ns() + 300000000; kernel_now_ns() < end;) {
		uint64_t last_ns = READ_ONCE(f.state->last_ns), now_ns = kernel_now_ns();

		if (now_ns - last_ns <= f.config->memory.stale_ns)
			stopped += stats_stopped(f.config, f.state, now_ns);
	}
	assert_true(READ_ONCE(f.state->last_ns) > first_ns);
	filter_close(&f);
	assert_int_equal(stopped, 0);
}

static int count_calls(const struct intercepted *call, void *arg)
{
	*(unsigned int *)arg = call->n;
	return 0;
}

#define TRIES 20

/* What the kernel is asked does not grow with the interfaces, nor with those that run what is none
 * of ours: there is one dump of all.
 */
TEST(cost_does_not_grow_with_interfaces)
{
	static const char *const VERBS[] = { "status v0", "status", "refresh", "set v0 --ihave pass" };
	unsigned int few[ARRAY_SIZE(VERBS)], many;

	sh(LOAD "; for i in 1 2; do ip link add w$i group 7 type veth peer name x$i group 7; done\n"
		"ip link set w1 xdp pinned $OTHER");
	for (size_t i = 0; i < ARRAY_SIZE(VERBS); i++)
		assert_int_equal(
			intercept_tool(VERBS[i], count_calls, &few[i], output, sizeof(output)), 0);
	sh("for i in $(seq 3 30); do ip link add w$i group 7 type veth peer name x$i group 7; "
	   "done");
	for (size_t i = 0; i < ARRAY_SIZE(VERBS); i++) {
		for (int n = 0; n < TRIES; n++) {
			assert_int_equal(intercept_tool(VERBS[i], count_calls, &many, output,
							sizeof(output)),
					 0);
			if (many <= few[i] + 9)
				break;
			usleep(500000); /* a dump is asked for again while interfaces change */
		}
		if (many > few[i] + 9)
			fail_msg("%s: %u calls, and with 56 interfaces more %u", VERBS[i], few[i],
				 many);
	}
	sh("ip link set w1 xdp off");
}

#define LOAD_OLD LOAD " --name x --comment old; $XD add x " ID_A
#define TO_NEW "$XD unload v0; " LOAD " --name x --comment new"

/* What is done while `status` is held at a call, and what it says where it then finds no filter. */
static const struct held {
	const char *name, *asked, *meanwhile;
	const char *none; /* NULL: there is always one */
} HELD[] = {
	{ "unloaded-while-it-looks", "status", "$XD unload v0", "no filter is loaded" },
	{ "replaced-while-it-looks", "status", TO_NEW, "no filter is loaded" },
	{ "unloaded-while-it-looks-by-interface", "status v0", "$XD unload v0",
	  "there is no filter v0" },
	{ "replaced-while-it-looks-by-interface", "status v0", TO_NEW, NULL },
	{ "exchanged-while-it-looks", "status v0", "$XD set x --ihave pass", NULL },
};

struct hold {
	const struct held *row;
	unsigned int n;
	bool is_met;
};

static int hold_at(const struct intercepted *call, void *arg)
{
	struct hold *h = arg;

	h->is_met |= call->n == h->n;
	if (call->n == h->n)
		sh("%s", h->row->meanwhile);
	return 0;
}

/* It shows a filter, never the settings of one with the memory of another, or says that there is
 * none. That is a failure only if one was asked for.
 */
static void shows_what_there_is(void **state)
{
	struct hold h = { .row = *state, .n = 1 + getpid() % tries(4, 1) };
	int status;

	do {
		sh(LOAD_OLD);
		h.is_met = false;
		status = intercept_tool(h.row->asked, hold_at, &h, output, sizeof(output));
		if (strstr(output, "x: GSP/1 on UDP port ")
			    ? status || !strstr(output, "comment     old") !=
						!strstr(output, "estimate    1 ids")
			    : !h.row->none || !strstr(output, h.row->none) ||
				      status != !!strcmp(h.row->asked, "status"))
			fail_msg("held at call %u it ends with %d: %s", h.n, status, output);
		if (!strcmp(h.row->name, "exchanged-while-it-looks") &&
		    !strstr(output, "interfaces  v0 (native"))
			fail_msg("held at call %u: %s", h.n, output);
		sh("$XD unload --all");
		h.n += tries(4, 1);
	} while (h.is_met);
	assert_true(h.n > 20);
}

int main(void)
{
	cli_environment();
	add_cli_scripts("tests/cli/status");
	add_own_tests(cli_setup, cli_teardown);
	add_rows(HELD, shows_what_there_is, cli_setup, cli_teardown);
	return run_added_tests("status");
}
