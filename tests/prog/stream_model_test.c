// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Random filters of random profiles, given random frames, beside a plain model of profiles: equal
 * verdicts, equal counters of equal streams, equal ids for applications. SEED and FILTERS in the
 * environment try others, or more.
 */
#include "fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ids.h"
#include "random_profiles.h"
#include "stream_ids.h"
#include "stream_model.h"
#include "stream_runner.h"
#include "want.h"

#define FILTERS 32
#define FRAMES 400	/* for each filter */
#define LINEAR_MAX 3000 /* bytes that a page has for a first buffer, and less */

/* One filter, and the model beside it. */
struct run {
	struct random_filter random;
	struct frame frame;
	struct model_answer answer;
	uint64_t ignored;
	struct filter_counters seen[MODEL_STREAMS_MAX];
	uint64_t reasons[DEDUP_REASONS_CNT]; /* how often each came, in all filters */
	uint64_t in_buffers;		     /* duplicates that came in several */
};

static void start(struct run *r)
{
	random_filter(&r->random);
	stream_load(&r->random.spec);
	if (one_in(&r->random, 3)) { /* the host's MAC is another device's, on top of the interface */
		struct dedup_record *record = fixture.filter.record;

		record->macs[record->macs_cnt++] = record->own_mac;
		record->own_mac = DEDUP_MAC_NONE;
	}
	memset(r->seen, 0, sizeof(r->seen));
	r->ignored = 0;
}

static void complain(const struct run *r, uint64_t began, uint32_t n, const char *what,
		     long long got, long long wanted)
{
	print_error("SEED=%llu FILTERS=1, frame %u: %s %lld, wanted %lld\n",
		    (unsigned long long)began, n, what, got, wanted);
	print_error("%s; layout %u hash %u%s%s\n", r->random.text, r->random.spec.layout,
		    r->random.spec.hash, r->random.spec.learn_app ? " app" : "",
		    r->random.spec.count_only ? " count" : "");
	print_error("frame of %u bytes, first buffer %u, wanted stream %u reason %u:\n",
		    r->frame.len, fixture.linear, r->answer.stream, r->answer.reason);
	for (uint32_t i = 0; i < r->frame.len && i < 256; i++)
		print_error("%02x%s", r->frame.data[i], i % 16 == 15 ? "\n" : " ");
	print_error("\n");
	fail();
}

/* No counter has moved but this reason's in this stream, and the bytes with it. */
static void check_counters(struct run *r, uint64_t began, uint32_t n)
{
	bool is_duplicate = fixture_verdict(r->answer.reason) == XDP_DROP;

	for (uint32_t i = 0; i < r->random.model.streams_cnt; i++) {
		struct filter_counters now = { 0 }, *seen = &r->seen[i];
		const __u64 *got = (const __u64 *)&now;

		assert_int_equal(filter_stream_counters(&fixture.filter, i, &now), 0);
		if (i == r->answer.stream && r->answer.reason != DEDUP_REASON_ignored) {
			((__u64 *)seen)[r->answer.reason]++;
			seen->duplicate_bytes += is_duplicate ? r->answer.bytes : 0;
		}
		for (uint32_t j = 0; j < DEDUP_REASONS_CNT; j++) {
			char what[48];

			snprintf(what, sizeof(what), "stream %u, reason %u counted", i, j);
			if (got[j] != ((const __u64 *)seen)[j])
				complain(r, began, n, what, got[j], ((const __u64 *)seen)[j]);
		}
		if (now.duplicate_bytes != seen->duplicate_bytes)
			complain(r, began, n, "bytes of duplicates", now.duplicate_bytes,
				 seen->duplicate_bytes);
	}
	r->ignored += r->answer.reason == DEDUP_REASON_ignored; /* is of no stream */
	fixture_count();
	if (fixture.seen.ignored != r->ignored)
		complain(r, began, n, "ignored", fixture.seen.ignored, r->ignored);
}

/* An application knows of the id what the filter knows. Now and then it adds it, or wants it. */
static void ask_as_application(struct run *r, uint64_t began, uint32_t n)
{
	uint8_t id[DEDUP_ID_BYTES_MAX];
	char name[16];
	int known = stream_model_knows(&r->random.model, &r->answer.id), got;

	snprintf(name, sizeof(name), "p%u", r->answer.stream);
	assert_int_equal(stream_select(&fixture.filter, name), 0);
	assert_int_equal(stream_make_id(&fixture.filter, r->answer.input, r->answer.input_len, id),
			 0);
	got = ids_test(&fixture.filter, id);
	if (got != known)
		complain(r, began, n, "known to an application:", got, known);
	if (one_in(&r->random, 5)) {
		assert_int_equal(want_id(&fixture.filter, id), known);
		if (known)
			stream_model_want(&r->random.model, &r->answer.id);
	}
	if (!one_in(&r->random, 4))
		return;
	assert_int_equal(ids_add(&fixture.filter, id), known);
	stream_model_learn(&r->random.model, &r->answer.id);
}

static void judge(struct run *r)
{
	struct model_frame f = { .bytes = r->frame.data, .len = r->frame.len, .host = FRAME_MAC };

	f.first = fixture.linear ?: f.len;
	stream_model_judge(&r->random.model, &f, &r->answer);
}

static void try_frame(struct run *r, uint64_t began, uint32_t n)
{
	int verdict, got;

	random_frame(&r->random, &r->frame);
	fixture.linear = 0;
	if (r->frame.len > LINEAR_MAX || one_in(&r->random, 4))
		fixture.linear =
			RANDOM_FRAME_MIN +
			any(&r->random, (r->frame.len < LINEAR_MAX ? r->frame.len : LINEAR_MAX) -
						RANDOM_FRAME_MIN + 1);
	judge(r);
	if (r->answer.has_id && one_in(&r->random, 6)) {
		ask_as_application(r, began, n);
		judge(r);
	}
	verdict = r->random.spec.count_only ? XDP_PASS : fixture_verdict(r->answer.reason);
	got = fixture_run(&r->frame);
	if (got != verdict)
		complain(r, began, n, "verdict", got, verdict);
	check_counters(r, began, n);
	r->reasons[r->answer.reason]++;
	r->in_buffers += r->answer.reason == DEDUP_REASON_duplicate && fixture.linear &&
			 fixture.linear < r->frame.len;
	if (r->answer.reason == DEDUP_REASON_wanted)
		stream_model_take(&r->random.model, &r->answer.id);
	if (r->answer.has_id && !r->random.spec.learn_app)
		stream_model_learn(&r->random.model, &r->answer.id);
	if (r->answer.has_id && one_in(&r->random, 6))
		ask_as_application(r, began, n);
}

/* The reasons that random frames must have come to, for the rest to mean something. */
static void check_reasons(const struct run *r)
{
	static const enum dedup_reason MUST[] = {
		DEDUP_REASON_ignored,	 DEDUP_REASON_fragment,	 DEDUP_REASON_truncated,
		DEDUP_REASON_bad_ip,	 DEDUP_REASON_bad_udp,	 DEDUP_REASON_bad_length,
		DEDUP_REASON_exempt,	 DEDUP_REASON_no_id,	 DEDUP_REASON_new,
		DEDUP_REASON_duplicate,	 DEDUP_REASON_ihave_new, DEDUP_REASON_ihave_duplicate,
		DEDUP_REASON_bad_magic,	 DEDUP_REASON_bad_type,	 DEDUP_REASON_bad_count,
		DEDUP_REASON_bad_tunnel,
	};

	for (size_t i = 0; i < ARRAY_SIZE(MUST); i++)
		if (!r->reasons[MUST[i]])
			fail_msg("no frame has come to reason %d", MUST[i]);
	assert_true(r->in_buffers > 0);
}

TEST(agrees_with_a_plain_model)
{
	static struct run r;
	uint64_t seed = environment_number("SEED", 1),
		 filters = environment_number("FILTERS", tries(FILTERS / 4, FILTERS));

	for (uint64_t i = 0; i < filters; i++) {
		r.random.seed = seed + i;
		start(&r);
		for (uint32_t n = 0; n < FRAMES; n++)
			try_frame(&r, seed + i, n);
		stream_model_stop(&r.random.model);
		fixture_unload(NULL);
	}
	if (filters >= FILTERS)
		check_reasons(&r);
}

int main(void)
{
	add_own_tests(NULL, NULL);
	return run_added_tests("stream_model");
}
