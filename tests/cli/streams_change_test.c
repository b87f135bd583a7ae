// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Changes of a filter's streams while it runs: other realms, another order, other ids, together
 * with other sizes, layouts and hashes. An id that a stream has seen stays known there, and no id
 * is known in a stream that never saw it. Packets are test runs of the program that is pinned.
 */
#include "cli_runner.h"

#include "config_streams.h"
#include "delivery.h"
#include "kernel.h"
#include "kept.h"
#include "open.h"
#include "sampling.h"
#include "streams_runner.h"
#include "totals.h"

#define OUT_FILE "/mnt/out"

#define KNOWN true
#define FRESH false

/* Runs a command that must succeed. $A is stream a, and so on; $LOAD makes the filter f of streams
 * that follow, $SET and $REPLACE change it.
 */
static void must(const char *command)
{
	char text[1024];

	snprintf(text, sizeof(text),
		 "profiles='--profiles " PROFILES "'\n"
		 "LOAD=\"$XD load v0 --name f $profiles\" SET=\"$XD set f $profiles\"\n"
		 "REPLACE=\"$XD load --replace --name f $profiles\"\n"
		 "A='--profile a:9001' B='--profile b:9002' C='--profile c:9003' D='--profile d:9004'\n"
		 "A_TOO='--profile a:9005' GSP='--profile gsp:8001' N='--profile n:9006'\n%s",
		 command);
	assert_run(0, text);
}

struct row {
	const char *name, *load, *change;
	int taught, asked; /* streams */
	bool known;	   /* is what the first has seen known in the second, after the change? */
};

#define LOAD_AB "$LOAD $A $B"
#define LOAD_ABC LOAD_AB " $C"

/* Two streams of one profile, which have no names of their own. */
#define LOAD_TWO "$LOAD $A#x $A_TOO#y"
#define SWAPPED " $A_TOO#y $A#x"
/* Two that have names which end in numbers. */
#define LOAD_NAMED "$LOAD --profile feed-1=a:9001#x --profile feed-2=a:9005#y"
#define SWAPPED_NAMED " --profile feed-2=a:9001#y --profile feed-1=a:9005#x"
#define BEFORE_TWO " --profile a:9003#z $A#x $A_TOO#y"

static const struct row ROWS[] = {
	{ "larger-in-another-order-keeps", LOAD_AB " --capacity 10k",
	  "$REPLACE $B $A --capacity 20k", A, A, KNOWN },
	{ "from-countdown-in-another-order", LOAD_AB " --layout countdown --capacity 10k --fpr 1e-3",
	  "$REPLACE $B $A --layout blocked", B, B, KNOWN },
	{ "gsp-with-streams-after-alone", "$LOAD --port 8001", "$SET $B $GSP", GSP, GSP, KNOWN },
	{ "numbered-for-more-sources", "$LOAD $N --sources 10", "$XD resize f --sources 20", N, N,
	  KNOWN },
	{ "numbered-for-fewer-sources", "$LOAD $N $A", "$XD resize f --sources 5", N, N, KNOWN },
	{ "numbered-and-now-others", "$LOAD $N", "$REPLACE $N $A", N, N, KNOWN },
	{ "numbered-with-another-history", "$LOAD $N",
	  "$XD load --replace --name f --profiles " OTHER_PROFILES " $N", N, N, FRESH },
	{ "numbered-with-a-shorter-history", "$LOAD $N",
	  "$XD set f --profiles " OTHER_PROFILES " $N", N, N, FRESH },
	{ "from-bytes-to-a-keyed-hash",
	  "$LOAD $D --layout flat --hash fnv1a --bits 1000000 --capacity 1k --fpr 0.01",
	  "$REPLACE $A $D --layout blocked --hash fast", D, D, KNOWN },
	{ "from-sha-256-to-a-keyed-hash",
	  "$LOAD $A --layout flat --hash fips --bits 65536 --capacity 1k",
	  "$REPLACE $B $A --layout blocked --hash fast", A, A, KNOWN },
};

static const struct row UNNAMED[] = {
	{ "unnamed-swapped", LOAD_TWO, "$SET" SWAPPED, A, A_TOO, FRESH },
	{ "unnamed-behind-another", LOAD_TWO, "$SET" BEFORE_TWO, A, A_TOO, FRESH },
	{ "unnamed-the-first-goes", LOAD_TWO, "$SET $A_TOO#y", A, A_TOO, FRESH },
	{ "named-like-numbers-have-other-ports", LOAD_NAMED, "$SET" SWAPPED_NAMED, A, A_TOO, KNOWN },
	{ "named-like-numbers-are-no-others", LOAD_NAMED, "$SET" SWAPPED_NAMED, A, A, FRESH },
	{ "named-beside-unnamed-has-other-ports", "$LOAD --profile a-2=a:9001#x --profile a:9003#y",
	  "$SET --profile a-2=a:9005#x --profile a:9002#y", A, A_TOO, KNOWN },
	{ "unnamed-beside-named-has-other-ports", "$LOAD --profile a-2=a:9003#x $A#y",
	  "$SET --profile a-2=a:9002#x $A_TOO#y", A, A_TOO, KNOWN },
	{ "unnamed-gets-the-name-of-another", "$LOAD $A#x $A_TOO#y", "$SET --profile a=a:9005#y", A,
	  A_TOO, FRESH },
	{ "unnamed-gsp-the-first-goes", "$LOAD --profile gsp:8002 $GSP", "$SET $GSP", GSP, GSP,
	  KNOWN },
	{ "unnamed-gsp-has-other-ports", "$LOAD $GSP --profile gsp:8002",
	  "$SET --profile gsp:8001,8002", GSP, GSP, FRESH },
};

/* By packets alone: which of two without given names has which name says its place. */
static void test_unnamed(void **state)
{
	const struct row *row = *state;

	must(row->load);
	assert_false(streams_drops(row->taught, 1));
	must(row->change);
	assert_int_equal(streams_drops(row->asked, 1), row->known);
	assert_true(streams_drops(row->asked, 1));
}

static void test_row(void **state)
{
	const struct row *row = *state;
	char command[256];

	must(row->load);
	assert_false(streams_drops(row->taught, 1));
	must(row->change);
	snprintf(command, sizeof(command), "$XD test f/%s %s", STREAM[row->asked].name,
		 streams_hex(row->asked, 1));
	assert_run(row->known ? 0 : 3, command);
	assert_int_equal(streams_drops(row->asked, 1), row->known);
	assert_true(streams_drops(row->asked, 1));
}

/* Whose first 8 bytes are equal. */
TEST(longer_ids_are_hashed_as_a_whole)
{
	static const char *const LAYOUTS[] = { "blocked", "flat", "countdown --capacity 10k" };
	char command[256];
	uint64_t id[ID_WORDS];

	for (int i = 0; i < 3; i++) {
		snprintf(command, sizeof(command), "$LOAD $A --fpr 1e-3 --layout %s", LAYOUTS[i]);
		must(command);
		must("$SET $GSP");
		streams_id(i, id);
		assert_int_equal(streams_send(GSP, id), XDP_PASS);
		assert_int_equal(streams_send(GSP, id), XDP_DROP);
		id[3]++;
		assert_int_equal(streams_send(GSP, id), XDP_PASS);
		snprintf(command, sizeof(command), "$XD add f %s", streams_hex(GSP, 7));
		must(command);
		assert_true(streams_drops(GSP, 7));
		must("$XD unload --all");
	}
}

/* The bytes that were an id before may be one now, of another message. */
TEST(ids_that_are_made_otherwise_are_other_ids)
{
	uint64_t id[ID_WORDS], other[ID_WORDS] = { 1 };

	must(LOAD_AB);
	assert_false(streams_drops(A, 1));
	assert_false(streams_drops(B, 1));
	must("$XD set f --profiles " OTHER_PROFILES " $A $B");
	assert_says("what stream a knew is forgotten");
	streams_id(1, id);
	other[1] = id[0];
	assert_int_equal(streams_send(A, other), XDP_PASS);
	assert_int_equal(streams_send(A, other), XDP_DROP);
	assert_true(streams_drops(B, 1));
}

/* A scheme without a key cannot tell the ids of a new stream from those that it knows. */
TEST(keyless_hashes_take_no_other_stream)
{
	must("$LOAD $A --layout flat --hash fnv1a --capacity 1k --bits 1000000 --fpr 0.01");
	assert_false(streams_drops(A, 1));
	assert_run(1, "$XD set f --profiles " PROFILES " --profile b:9002");
	assert_one_line("--hash fnv1a has no key");
	assert_true(streams_drops(A, 1));
	must("$REPLACE $B");
	assert_false(streams_drops(B, 1));
	assert_true(streams_drops(B, 1));
}

TEST(forgotten_streams_are_said)
{
	must(LOAD_ABC);
	must("$SET $A#r $B#r $C");
	assert_says("what stream b knew is forgotten");
	assert_null(strstr(output, "what stream a"));
	assert_null(strstr(output, "what stream c"));
}

/* --forwarded is for the streams with which it is given; other changes keep it. */
TEST(forwarded_goes_with_the_streams)
{
	must(LOAD_AB " --forwarded");
	must("$XD set f --action count");
	must("$XD status f");
	assert_says("for any host");
	must("$SET $A $B");
	must("$XD status f");
	assert_null(strstr(output, "for any host"));
}

static void open_f(struct filter *f)
{
	assert_int_equal(filter_open("f", f), 0);
}

static uint32_t slot_of(const char *stream)
{
	struct filter f;
	uint32_t slot;

	open_f(&f);
	slot = f.config->policy.streams[stream_number(f.config, stream)].slot;
	filter_close(&f);
	return slot;
}

/* What wanting a packet gives that was handed to a reader. */
static void assert_wanting(const struct dedup_in_flight *packet, int result)
{
	struct filter f;

	open_f(&f);
	assert_int_equal(delivery_want(&f, packet), result);
	filter_close(&f);
}

/* What was handed to a reader before the change is wanted for its own stream after it. */
TEST(deliveries_are_of_a_stream_not_of_a_place)
{
	struct dedup_in_flight packet = { .number = 1 };
	uint64_t id[ID_WORDS];

	must(LOAD_AB);
	assert_false(streams_drops(A, 1));
	assert_false(streams_drops(B, 1));
	packet.slot = slot_of("a");
	streams_id(1, id);
	packet.id.word[0] = id[0];
	must("$SET $C $B $A");
	assert_wanting(&packet, 1);
	assert_true(streams_drops(B, 1));
	assert_false(streams_drops(A, 1));
	must("$SET $B");
	assert_wanting(&packet, -EINVAL); /* there is no such stream */
	for (int i = 0; i < 4; i++) {	  /* nor is another one that comes taken for it */
		must(i % 2 ? "$SET $B" : "$SET $C $B");
		assert_wanting(&packet, -EINVAL);
	}
}

/* Changes are counted anew then. */
TEST(deliveries_are_of_a_stream_after_a_restore)
{
	struct dedup_in_flight packet = { .number = 1 };

	must(LOAD_AB);
	must("$SET $B");
	must("$SET $C $B");
	must("$XD save f /mnt/snapshot");
	must("$XD unload --all");
	must("$XD restore f /mnt/snapshot");
	packet.slot = slot_of("c");
	must("$SET $B");
	must("$SET $A $B");
	assert_wanting(&packet, -EINVAL);
}

struct seen {
	int cnt;
	uint32_t slot;
};

static int see(void *arg, const struct dedup_sample *sample)
{
	struct seen *seen = arg;

	seen->cnt++;
	seen->slot = sample->slot;
	return 0;
}

/* A sampler of b gets its packets across the change. */
TEST(samples_are_of_a_stream_not_of_a_place)
{
	struct sampling_request wish = { .reasons = SAMPLING_NEW | SAMPLING_DROPS,
					 .snap = 64,
					 .rate = 100 };
	struct sampling_lost lost;
	struct seen seen = { 0 };
	struct sampling *s;
	struct filter f, now;
	uint32_t pid;

	must(LOAD_AB);
	assert_int_equal(kernel_ready(false, false), 0);
	open_f(&f);
	wish.streams = 1U << f.config->policy.streams[stream_number(f.config, "b")].slot;
	assert_int_equal(sampling_begin(&f, &wish, (struct sampling_taker){ see, &seen }, &s, &pid),
			 0);
	must("$SET $B $A");
	streams_drops(A, 1);
	streams_drops(B, 1);
	sampling_end(s, &lost);
	assert_int_equal(seen.cnt, 1);
	open_f(&now);
	assert_string_equal(now.config->policy.streams[kept_of_slot(now.config, seen.slot)].name,
			    "b");
	filter_close(&now);
	filter_close(&f);
}

/* A sampler of a stream that is removed gets no other one's packets. */
TEST(samples_of_a_stream_that_went_end)
{
	must(LOAD_AB);
	sh("$XD sample f/a >" OUT_FILE " 2>&1 & echo $! >/mnt/pid\n"
	   "for i in $(seq 300); do $XD status f --json | grep -q '\"sampler\": *{' && exit 0\n"
	   "	sleep 0.1; done; exit 1");
	must("$SET $B");
	must("$SET $B $C");
	streams_drops(C, 1);
	sh("kill $(cat /mnt/pid); for i in $(seq 300); do grep -q 'shown;' " OUT_FILE " && break\n"
	   "	sleep 0.1; done; cat " OUT_FILE "; grep -q 'note: 0 shown;' " OUT_FILE);
}

/* Though each has the name of the other then. */
TEST(counters_are_of_a_stream_not_of_a_name)
{
	struct filter_counters first, second;
	struct filter f;

	must(LOAD_TWO);
	for (uint32_t id = 0; id < 3; id++)
		assert_false(streams_drops(id ? A_TOO : A, id));
	must("$SET" SWAPPED);
	open_f(&f);
	assert_int_equal(filter_open_change(&f), 0);
	assert_int_equal(filter_stream_counters(&f, 0, &first), 0);
	assert_int_equal(filter_stream_counters(&f, 1, &second), 0);
	filter_close(&f);
	assert_int_equal(first.new, 2);
	assert_int_equal(second.new, 1);
}

int main(void)
{
	cli_environment();

	add_rows(ROWS, test_row, streams_setup, cli_teardown);
	add_rows(UNNAMED, test_unnamed, streams_setup, cli_teardown);
	add_own_tests(streams_setup, cli_teardown);
	return run_added_tests("streams_change");
}
