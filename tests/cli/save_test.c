// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* save and restore as users of the tool meet them: what packets brought is remembered across unload, in
 * every layout. Files are in /mnt/snapshots. What cannot be done says why, and leaves all as it was.
 */
#include "cli_runner.h"
#include "e2e_runner.h"

#include "intercept.h"
#include "open.h"

#define EVENTS 500
#define SNAPSHOT "/mnt/snapshots/snapshot"
#define ONE_WITH_PREDECESSOR "[ $(ls $PINS) = ve0 ] && [ -e $PINS/ve0/predecessor_state ]"
#define PORT_ENV "PORT"

static int setup(void **state)
{
	char port[16];

	sh("mkdir -p /mnt && mount -t tmpfs tmpfs /mnt && mkdir /mnt/snapshots\n"
	   "printf '[profile head]\nabout = x\nlayer = udp\nid = payload:40\nwindow = 60s\nfpr = "
	   "1e-6\n' >/mnt/ini");
	snprintf(port, sizeof(port), "%u", e2e_port());
	setenv(PORT_ENV, port, 1);
	return e2e_setup(state);
}

static int teardown(void **state)
{
	int failed = e2e_teardown(state);
	char out[4096];

	sh_out(out, sizeof(out), "umount -l /mnt");
	return failed;
}

/* Sends the events from `first` on to ve0. Each is new, or a duplicate. */
static void send_events(const char *name, struct gossip_sender *s, uint32_t first, uint64_t fresh,
			uint64_t duplicates)
{
	struct filter_counters before = e2e_counters(name), after;
	uint64_t cnt = fresh + duplicates;
	uint32_t order[2 * EVENTS];

	for (uint32_t i = 0; i < cnt; i++)
		order[i] = first + i;
	assert_int_equal(gossip_send(s, order, cnt), 0);
	after = e2e_counters_after(name, before.rx - before.ignored + cnt);
	assert_int_equal(after.new - before.new, fresh);
	assert_int_equal(after.duplicate - before.duplicate, duplicates);
}

static const struct round_trip {
	const char *name, *load;
} ROUND_TRIPS[] = {
	{ "blocked", "--port $PORT" },
	{ "siphash", "--port $PORT --hash siphash --capacity 100k" },
	{ "flat", "--port $PORT --layout flat" },
	{ "flat-of-given-size", "--port $PORT --layout flat --bits 100000 --hashes 5 --capacity 5k" },
	{ "fips", "--port $PORT --layout flat --hash fips --bits 65536 --capacity 1k" },
	{ "countdown", "--port $PORT --layout countdown --capacity 10k" },
	{ "countdown-of-given-size",
	  "--port $PORT --layout countdown --hash tezos --index-bits 18 --hashes 6 "
	  "--countdown-bits 6 --capacity 5k" },
	{ "digest", "--profiles /mnt/ini --profile head:$PORT --capacity 10k" },
	{ "beside-numbers",
	  "--profile moldudp64:9@239.1.1.1 --profile b=gsp:$PORT --capacity 10k --window 60s" },
	{ "streams", "--profile a=payload:9 --profile b=gsp:$PORT --capacity 10k --window 60s" },
};

/* Across unload, and once more. */
static void remembers(void **state)
{
	const struct round_trip *row = *state;
	struct gossip_sender *s = e2e_sender(0, AF_INET, 1);
	char command[512];

	snprintf(command, sizeof(command), "$XD load ve0 %s", row->load);
	assert_run(0, command);
	send_events("ve0", s, 0, EVENTS, 0);
	assert_run(0, "$XD save ve0 " SNAPSHOT);
	assert_says("ve0: saved to " SNAPSHOT);
	assert_run(0, "[ $(stat -c %a " SNAPSHOT ") = 600 ] && [ $(ls /mnt/snapshots) = snapshot ]");
	assert_run(0, "$XD unload ve0 && $XD restore ve0 " SNAPSHOT);
	assert_says("is kept until it is forgotten");
	send_events("ve0", s, 0, 0, EVENTS);
	send_events("ve0", s, EVENTS, EVENTS, 0);
	send_events("ve0", s, 0, 0, 2 * EVENTS);
	assert_run(0, "$XD unload ve0 && [ -z \"$(ls -A $PINS)\" ]");
}

/* On another interface, under another name, whatever else there is. */
TEST(goes_elsewhere)
{
	struct gossip_sender *s = e2e_sender(0, AF_INET, 1), *other = e2e_sender(1, AF_INET, 1);

	e2e_load("load ve0 --capacity 10k");
	send_events("ve0", s, 0, EVENTS, 0);
	assert_run(0, "$XD save ve0 " SNAPSHOT " && $XD restore second " SNAPSHOT " ve1");
	send_events("second", other, 0, 0, EVENTS);
	send_events("ve0", s, 0, 0, EVENTS);
	assert_run(1, "$XD restore second " SNAPSHOT);
	assert_one_line("second has a predecessor");
	assert_run(0, "$XD unload --all && [ -z \"$(ls -A $PINS)\" ]");
}

/* A running filter keeps what it remembers, and gets what was saved beside. */
TEST(running_one_gets_it)
{
	static const char *const LAYOUTS[] = { "blocked", "flat", "countdown" };
	struct gossip_sender *s = e2e_sender(0, AF_INET, 1);

	for (size_t i = 0; i < ARRAY_SIZE(LAYOUTS); i++) {
		e2e_load("load ve0 --capacity 10k --layout %s", LAYOUTS[i]);
		send_events("ve0", s, 0, EVENTS, 0);
		assert_run(0, "$XD save ve0 " SNAPSHOT "; $XD unload ve0");
		e2e_load("load ve0 --capacity 20k --layout %s", LAYOUTS[(i + 1) % 3]);
		send_events("ve0", s, EVENTS, EVENTS, 0);
		assert_run(0, "$XD restore ve0 " SNAPSHOT);
		assert_run(0, ONE_WITH_PREDECESSOR);
		send_events("ve0", s, 0, 0, 2 * EVENTS);
		send_events("ve0", s, (3 + i) * EVENTS, EVENTS, 0);
		send_events("ve0", s, 0, 0, 2 * EVENTS);
		assert_run(0, "$XD set ve0 --action count && $XD unload ve0");
		assert_run(0, "[ -z \"$(ls -A $PINS)\" ]");
	}
}

struct meanwhile {
	struct gossip_sender *s;
	bool done;
};

/* Before the commit of a restore events come, and the hand steps. */
static int events_come(const struct intercepted *call, void *arg)
{
	struct meanwhile *m = arg;

	if (m->done || !call->is_change || strcmp(call->what, "rename"))
		return 0;
	send_events("ve0", m->s, EVENTS, EVENTS, 0);
	usleep(50000);
	m->done = true;
	return 0;
}

/* With --forget there is an old predecessor, which the hand tells of ids meanwhile. */
TEST(snapshot_is_told_of_all_ids)
{
	struct meanwhile m = { .s = e2e_sender(0, AF_INET, 1) };
	struct filter f;

	e2e_load("load ve0 --capacity 10k");
	assert_run(0, "$XD save ve0 " SNAPSHOT "; $XD resize ve0 --capacity 20k");
	send_events("ve0", m.s, 0, EVENTS, 0);
	assert_int_equal(intercept_tool("restore ve0 " SNAPSHOT " --forget", events_come, &m,
					output, sizeof(output)),
			 0);
	assert_true(m.done);
	send_events("ve0", m.s, 2 * EVENTS, EVENTS, 0);
	assert_int_equal(filter_open("ve0", &f), 0);
	assert_int_equal(filter_open_predecessor(&f), 0);
	assert_non_null(f.predecessor);
	for (int ms = 0;
	     ms < PATIENCE_MS && READ_ONCE(f.predecessor->state->learned) < 3 * EVENTS / 2; ms++)
		usleep(1000);
	/* One id of the snapshot counts for two ids of the filter, which is twice as large. */
	assert_in_range(f.predecessor->state->learned, 3 * EVENTS / 2, 3 * EVENTS / 2 + 100);
	filter_close(&f);
	e2e_tool("unload ve0");
}

/* Ids live as long as if nothing had happened, and then the memory goes. */
TEST(ages_go_on)
{
	struct gossip_sender *s = e2e_sender(0, AF_INET, 1);

	e2e_load("load ve0 --window 1m --capacity 10k");
	send_events("ve0", s, 0, EVENTS, 0);
	assert_run(0, "$XD save ve0 " SNAPSHOT " && $XD unload ve0 && sleep 1");
	assert_run(0, "$XD restore ve0 " SNAPSHOT);
	send_events("ve0", s, 0, 0, EVENTS);
	assert_run(0, "$XD unload ve0");
	e2e_load("load ve0 --window 2s --capacity 10k");
	send_events("ve0", s, 0, EVENTS, 0);
	assert_run(0, "$XD save ve0 " SNAPSHOT " && $XD unload ve0 && $XD restore ve0 " SNAPSHOT);
	assert_run(0, "$XD save ve0 /mnt/snapshots/again --wait");
	send_events("ve0", s, 0, EVENTS, 0);
	assert_run(0, "$XD unload ve0; sleep 4; $XD restore ve0 " SNAPSHOT);
	assert_says("nothing of it is young enough");
	assert_run(0, "[ ! -e \"$PINS/ve0/predecessor_state\" ]");
	send_events("ve0", s, 0, EVENTS, 0);
}

/* A filter that was to drop for a time drops for the rest of that time. */
TEST(time_to_drop_goes_on)
{
	struct gossip_sender *s = e2e_sender(0, AF_INET, 1);

	e2e_load("load ve0 --for 2s --capacity 10k");
	assert_run(0, "$XD save ve0 " SNAPSHOT " && $XD unload ve0 && sleep 2");
	assert_run(0, "$XD restore ve0 " SNAPSHOT);
	assert_run(0, "[ $($XD status ve0 --json | jq -r .action) = count ]");
	send_events("ve0", s, 0, EVENTS, 0);
	send_events("ve0", s, 0, 0, EVENTS);
	assert_int_equal(tool_counter("ve0", "dropped"), 0);
}

struct point {
	unsigned int n;
	bool is_killed;
};

static int kill_at(const struct intercepted *call, void *arg)
{
	struct point *p = arg;

	p->is_killed |= call->is_change && call->changes == p->n;
	return call->is_change && call->changes == p->n ? INTERCEPT_KILL : 0;
}

/* Killed at any change, it leaves the old snapshot, or a whole one; and the filter as it is. One
 * run may have a change less than another, so it is done when five have ended by themselves.
 */
TEST(killed_at_each_change)
{
	unsigned int whole = 0, old = 0, after = 0;

	e2e_load("load ve0 --name both --capacity 10k");
	e2e_stream_start(0, 2000);
	for (struct point p = { .n = 1 }; whole < 5; p.n += p.is_killed) {
		bool is_replaced;

		sh("echo old >" SNAPSHOT);
		p.is_killed = false;
		intercept_tool("save both " SNAPSHOT, kill_at, &p, output, sizeof(output));
		e2e_assert_works(0);
		is_replaced = sh_out(output, sizeof(output), "grep -qx old " SNAPSHOT);
		old += p.is_killed && !is_replaced;
		after += p.is_killed && is_replaced;
		whole += !p.is_killed;
		if (is_replaced)
			sh("%s restore copy " SNAPSHOT " ve1; %s unload ve1", tool(), tool());
	}
	assert_true(e2e_stream_stop(0) > 0);
	assert_true(old > 3 && after > 0);
	/* What it had written had no name, but while it was put in the place of the old one. */
	sh("[ $(ls " SNAPSHOT ".* | wc -l) -le 2 ]");
}

int main(void)
{
	cli_environment();
	add_cli_scripts("tests/cli/save");
	add_rows(ROUND_TRIPS, remembers, setup, teardown);
	add_own_tests(setup, teardown);
	return run_added_tests("save");
}
