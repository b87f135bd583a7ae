// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* save and restore as users of the tool meet them: what packets brought is remembered across unload, in
 * every layout; what cannot be done says why, and leaves all as it was. Files are in /mnt/snapshots.
 */
#include "e2e_runner.h"

#include "intercept.h"
#include "open.h"
#include "output.h"

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

	sh_out(out, sizeof(out), "umount -q /proc/meminfo; umount -l /mnt");
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

#define ID_TEXT "0101010101010101010101010101010101010101010101010101010101010101"

/* Numbers are not saved; what applications know beside them is. */
TEST(ids_beside_numbers_come_back)
{
	assert_run(0, "$XD load ve0 --profile moldudp64:9@239.1.1.1 --profile gsp:10 --capacity 10k && "
		      "$XD add ve0/gsp " ID_TEXT);
	assert_run(0, "$XD save ve0 " SNAPSHOT "; $XD unload ve0 && $XD restore ve0 " SNAPSHOT);
	assert_run(0, "$XD test ve0/gsp " ID_TEXT);
	assert_run(3, "$XD test ve0/moldudp64 000102030405060708090000000000000001");
	assert_run(0, "$XD unload ve0");
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

static const struct refusal {
	const char *name;   /* the command */
	const char *before; /* run first; NULL: nothing */
	int status;
	const char *says;
} REFUSALS[] = {
	{ "save ve0 " SNAPSHOT, NULL, 1, "there is no filter ve0" },
	{ "save ve0 /mnt/none/snapshot", "$XD load ve0 --port 9", 1,
	  "cannot write /mnt/none/snapshot: No such file" },
	{ "save ve0 /mnt/snapshots", "$XD load ve0 --port 9", 1, "and no file" },
	{ "save ve0 /mnt/fifo", "$XD load ve0 --port 9; mkfifo /mnt/fifo", 1, "and no file" },
	{ "save ve0 /mnt/link", "$XD load ve0 --port 9; ln -s /mnt/none /mnt/link", 1, "and no file" },
	{ "save ve0", NULL, 2, "usage" },
	{ "restore ve0 /mnt/snapshots/none", NULL, 1, "No such file" },
	{ "restore ve0 /mnt/snapshots", NULL, 1, "it is no file" },
	{ "restore ve0 /mnt/fifo", "mkfifo /mnt/fifo", 1, "it is no file" },
	{ "restore ve0 " SNAPSHOT, "echo hello >" SNAPSHOT, 1, "it is no snapshot" },
	{ "restore ve0 " SNAPSHOT, ": >" SNAPSHOT, 1, "it is no snapshot" },
	{ "restore ve0.1 " SNAPSHOT, NULL, 2, "a filter's name is" },
#define SAVED "$XD load ve0 --port 9 --capacity 10k; $XD save ve0 " SNAPSHOT
	{ "restore ve0 " SNAPSHOT " ve1", SAVED, 1, "name no interfaces" },
	{ "restore ve0 " SNAPSHOT,
	  SAVED "; $XD unload ve0; $XD load ve0 --profile gsp:9 --profile rtp:10", 1,
	  "has other streams" },
	{ "restore ve0 " SNAPSHOT,
	  "$XD load ve0 --profile payload:9; $XD save ve0 " SNAPSHOT
	  "; $XD unload ve0; $XD load ve0 --profile payload:9",
	  1, "has other streams or digests" },
	{ "restore ve0 " SNAPSHOT, SAVED "; $XD resize ve0 --capacity 20k", 1,
	  "ve0 has a predecessor" },
	{ "restore ve0 " SNAPSHOT, SAVED "; $XD unload ve0; truncate -s -1 " SNAPSHOT, 1,
	  "it is truncated" },
	{ "restore ve0 " SNAPSHOT,
	  SAVED "; $XD unload ve0; printf x | dd of=" SNAPSHOT " bs=1 seek=100000 conv=notrunc", 1,
	  "it is damaged" },
	{ "restore other " SNAPSHOT " none0", SAVED "; $XD unload ve0", 1, "none0" },
#define FREE(kb) "; echo MemAvailable: " kb " kB >/mnt/meminfo; mount -B /mnt/meminfo /proc/meminfo"
	{ "restore ve0 " SNAPSHOT,
	  "$XD load ve0 --port 9; $XD save ve0 " SNAPSHOT "; $XD unload ve0" FREE("12000"), 1,
	  "of memory are free" },
	{ "restore ve0 " SNAPSHOT, SAVED FREE("70"), 1, "of memory are free" },
	{ "save ve0 " SNAPSHOT,
	  SAVED "; $XD unload ve0; $XD restore ve0 " SNAPSHOT " ; $XD save ve0 /mnt/b --forget", 1,
	  "has a predecessor" },
};

static void refuses(void **state)
{
	const struct refusal *row = *state;
	char command[512];

	sh("XD=%s; set -e; (%s) >/dev/null 2>&1; ls -AR /mnt >/tmp/mnt.before", tool(),
	   row->before ?: ":");
	sh_out(output, sizeof(output), "ls -A /sys/fs/bpf/xdp-dedup 2>&-");
	setenv("PINNED", output, 1);
	snprintf(command, sizeof(command), "$XD %s", row->name);
	assert_run(row->status, command);
	assert_one_line(row->says);
	assert_run(0, "ls -AR /mnt | diff /tmp/mnt.before -; rm /tmp/mnt.before\n"
		      "[ \"$(ls -A $PINS 2>&-)\" = \"$(echo \"$PINNED\")\" ]");
}

/* A disk that is full at any write: what was there stays as it was. */
TEST(disk_is_full)
{
	e2e_load("load ve0 --capacity 20k");
	assert_run(
		0,
		"mkdir /mnt/full && mount -t tmpfs -o size=64k tmpfs /mnt/full\n"
		"$XD save ve0 " SNAPSHOT "; size=$(stat -c %s " SNAPSHOT ")\n"
		"echo old >/mnt/full/snapshot; k=8; failed=0\n"
		"while mount -o remount,size=${k}k /mnt/full && ! $XD save ve0 /mnt/full/snapshot\n"
		"do	[ \"$(cat /mnt/full/snapshot)\" = old ] && [ $(ls -A /mnt/full) = snapshot ]\n"
		"	k=$((k + 20)); failed=$((failed + 1)); done >/mnt/log 2>&1\n"
		"[ $failed -gt 5 ] && [ $(stat -c %s /mnt/full/snapshot) = $size ]\n"
		"[ $(grep -c 'cannot write /mnt/full/snapshot: No space left' /mnt/log) = $failed ]\n"
		"umount /mnt/full");
	assert_run(1, "ulimit -f 100; $XD save ve0 /mnt/snapshots/large");
	assert_one_line("cannot write /mnt/snapshots/large: File too large");
	assert_run(0, "[ $(ls -A /mnt/snapshots) = snapshot ]");
}

/* Ended by a signal at any time, nothing is left but a whole snapshot. No signal may come with SIGCONT,
 * as timeout(1) has it: that one makes LeakSanitizer, as it stops the process at its end, wait for ever.
 */
TEST(saving_is_stopped)
{
	e2e_load("load ve0 --capacity 5M");
	assert_run(0, "now() { echo $(($(date +%s%N) / 1000000)); }\n"
		      "start=$(now); $XD save ve0 " SNAPSHOT "; took=$(($(now) - start))\n"
		      "for signal in TERM INT HUP; do for part in 1 2 3 4 5 6 7 8 9 10 11; do\n"
		      "	rm -f " SNAPSHOT "; ms=$((took * part / 10))\n"
		      "	$XD save ve0 " SNAPSHOT " & sleep $(printf %d.%03d $((ms / 1000)) "
		      "$((ms % 1000)))\n"
		      "	kill -$signal $! || :; wait $! || :\n"
		      "	for f in $(ls -A /mnt/snapshots); do [ $f = snapshot ] || exit 1; done\n"
		      "done; done >/mnt/log 2>&1; grep -q 'stopped by a signal' /mnt/log");
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
	name_tool();
	add_rows(ROUND_TRIPS, remembers, setup, teardown);
	add_rows(REFUSALS, refuses, setup, teardown);
	add_own_tests(setup, teardown);
	return run_added_tests("save");
}
