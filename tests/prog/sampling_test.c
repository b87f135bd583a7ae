// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Samples: which packets a sampler gets, and what of them; and that packets take the slow path just
 * as long as there is one.
 */
#include "layout_runner.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include <bpf/bpf.h>

#include "clock.h"
#include "slow_path.h"
#include "kernel.h"
#include "open.h"
#include "protocol_packets.h"
#include "sampling.h"
#include "stream_runner.h"
#include "want.h"

#define MS 1000000ULL
#define SECOND_NS 1000000000ULL
#define SEEN_MAX 8192
#define ALL (SAMPLING_DROPS | SAMPLING_NEW)
#define RENEWED_US 600000 /* after so long sampling_poll() renews */

/* What the sampler has got. */
static struct seen {
	struct sampling *s;
	uint32_t cnt;
	_Alignas(struct dedup_sample) uint8_t last[sizeof(struct dedup_sample) + DEDUP_SNAP_MAX];
	uint64_t each_ns[SEEN_MAX];
} seen;

static const struct dedup_sample *last(void)
{
	return (const struct dedup_sample *)seen.last;
}

static struct dedup_state *state_of_filter(void)
{
	return fixture.filter.state;
}

/* For filters whose hand stands still: it has just stepped. */
static void step(void)
{
	state_of_filter()->last_ns = kernel_now_ns();
}

static int keep(void *arg, const struct dedup_sample *s)
{
	(void)arg;
	assert_true(seen.cnt < SEEN_MAX);
	assert_true(s->snapped <= DEDUP_SNAP_MAX);
	memcpy(seen.last, s, sizeof(*s) + s->snapped);
	seen.each_ns[seen.cnt++] = s->time_ns;
	return 0;
}

static const struct sampling_taker TAKER = { keep, NULL };

static int listen_to(uint32_t reasons, uint32_t streams, uint32_t snap, uint32_t rate)
{
	const struct sampling_request wish = { reasons, streams, snap, rate };
	uint32_t pid;

	memset(&seen, 0, sizeof(seen));
	return sampling_begin(&fixture.filter, &wish, TAKER, &seen.s, &pid);
}

static void listen_to_all(void)
{
	step();
	assert_int_equal(listen_to(ALL, UINT32_MAX, 256, SAMPLING_RATE_MAX), 0);
}

static int unload(void **state)
{
	struct sampling_lost lost;

	if (seen.s && fixture.skel)
		sampling_end(seen.s, &lost);
	seen.s = NULL;
	return fixture_unload(state);
}

static struct sampling_lost end(void)
{
	struct sampling_lost lost;

	sampling_end(seen.s, &lost);
	seen.s = NULL;
	return lost;
}

static void end_without_loss(void)
{
	struct sampling_lost lost = end();

	assert_int_equal(lost.limited, 0);
	assert_int_equal(lost.full, 0);
}

/* The sampler has got so many since it was asked last. */
static void assert_got(uint32_t cnt)
{
	uint32_t before = seen.cnt;

	assert_int_equal(sampling_poll(seen.s, 0), 0);
	assert_int_equal(seen.cnt - before, cnt);
}

/* It has got exactly this frame. */
static void assert_saw(const struct frame *f, enum dedup_reason reason, uint32_t stream)
{
	const struct dedup_sample *s = last();

	assert_got(1);
	assert_int_equal(s->reason, reason);
	assert_int_equal(s->slot, stream);
	assert_int_equal(s->ifindex, fixture.ifindex ?: 1);
	assert_int_equal(s->len, f->len);
	assert_int_equal(s->snapped, f->len < 256 ? f->len : 256);
	assert_memory_equal(last()->frame, f->data, s->snapped);
	assert_true(kernel_now_ns() - s->time_ns < 10 * SECOND_NS);
}

/* Filters of every layout, of GSP/1 alone and as a stream, and of other streams. */

static const struct kind {
	const char *name;
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	const char *streams[3]; /* their profiles; the last one is looked at. None: GSP/1 alone */
	struct protocol_packet packet; /* NO_PACKET: GSP/1's */
} KINDS[] = {
	{ "gsp-blocked", .layout = DEDUP_BLOCKED },
	{ "gsp-flat", .layout = DEDUP_FLAT, .hash = DEDUP_COLIBRI },
	{ "gsp-countdown", .layout = DEDUP_COUNTDOWN, .hash = DEDUP_TEZOS },
	{ "gsp-stream-flat", .layout = DEDUP_FLAT, .streams = { "gsp" } },
	{ "gsp-third-stream", .streams = { "rtp", "mirror", "gsp" } },
	{ "rtp-second", .streams = { "payload", "rtp" }, .packet = { .protocol = RTP } },
	{ "discv4-countdown", DEDUP_COUNTDOWN, DEDUP_SIPHASH, { "discv4" }, { .protocol = DISCV4 } },
	{ "discv4-second-flat", DEDUP_FLAT, .streams = { "payload", "discv4" },
	  .packet = { .protocol = DISCV4 } },
	{ "payload", .streams = { "payload" }, .packet = { .protocol = DATAGRAM, .body = 700 } },
	{ "hsr", .streams = { "hsr" }, .packet = { .protocol = HSR, .body = 100 } },
};

/* Makes the kind's frame; *id is for GSP/1's. Is it GSP/1's? */
static bool frame_of(const struct kind *k, const struct id *id, struct frame *f)
{
	if (k->packet.protocol)
		protocol_frame(f, &k->packet);
	else
		frame_build(f, &(struct frame_plan){ .body = 40 }, id);
	return !k->packet.protocol;
}

/* Filters of GSP/1 alone. */
static void load_gsp(const struct kind *k)
{
	struct layout_parameters parameters = LAYOUT_RUN_LARGE[k->layout];
	struct dedup_config c;

	parameters.hash = k->hash;
	c = layout_run_still_config(&parameters);
	fixture_load(&c);
}

/* Loads it. The port of its last stream is GOSSIP_PORT. Returns that stream's number. */
static uint32_t load(const struct kind *k)
{
	struct filter_spec spec = { .layout = k->layout, .hash = k->hash, .capacity = 1000 };
	struct profiles all = { 0 };
	uint32_t n = 0;

	if (!k->streams[0]) {
		load_gsp(k);
		return 0;
	}
	assert_int_equal(profiles_add_builtin(&all), 0);
	for (; n < 3 && k->streams[n]; n++) {
		const struct profile *p = profiles_find(&all, k->streams[n]);
		bool last = n == 2 || !k->streams[n + 1];
		struct stream_wish wish = { .profile = k->streams[n], .realm = n };
		char ports[8];

		assert_non_null(p);
		snprintf(ports, sizeof(ports), "%u", last ? (unsigned int)GOSSIP_PORT : 20000 + n);
		if (p->stream.layer == DEDUP_UDP)
			wish.ports = ports;
		else if (!last)
			wish.to = "198.51.100.1";
		stream_add(&spec, &all, &wish);
	}
	profiles_free(&all);
	stream_load(&spec);
	return n - 1;
}

/* What GSP/1 has beside EVENTs. ids[0] is known, ids[1] is not. */
static void other_types_are_sampled(const struct id *ids, uint32_t n)
{
	struct frame f;

	frame_build(&f, &(struct frame_plan){ .type = GSP_IHAVE }, ids);
	expect(&f, XDP_DROP, DEDUP_REASON_ihave_duplicate);
	assert_saw(&f, DEDUP_REASON_ihave_duplicate, n);
	frame_build(&f, &(struct frame_plan){ .type = GSP_IHAVE, .count = 2 }, ids);
	expect(&f, XDP_PASS, DEDUP_REASON_ihave_new);
	assert_saw(&f, DEDUP_REASON_ihave_new, n);
	assert_memory_equal(&last()->id, ids, sizeof(*ids));
	frame_build(&f, &(struct frame_plan){ .type = GSP_IWANT }, ids);
	expect(&f, XDP_PASS, DEDUP_REASON_exempt);
	frame_build(&f, &(struct frame_plan){ .body = 0 }, &NO_ID);
	expect(&f, XDP_PASS, DEDUP_REASON_no_id);
	assert_got(0);
}

TEST_ROWS_WITH(each_reason_is_sampled, KINDS, NULL, unload)
{
	uint32_t n = load(row);
	struct id ids[2] = { id_fresh(), id_fresh() };
	struct frame f;
	bool is_gsp = frame_of(row, ids, &f);

	fixture.row = row->name;
	listen_to_all();
	expect(&f, XDP_PASS, DEDUP_REASON_new);
	assert_saw(&f, DEDUP_REASON_new, n);
	if (is_gsp)
		assert_memory_equal(&last()->id, ids, sizeof(*ids));
	expect(&f, XDP_DROP, DEDUP_REASON_duplicate);
	assert_saw(&f, DEDUP_REASON_duplicate, n);
	if (is_gsp)
		other_types_are_sampled(ids, n);
	/* What `want` asks for by the sample's id. */
	fixture.filter.stream = n;
	assert_int_equal(want_id(&fixture.filter, last()->id.byte), 1);
	expect(&f, XDP_PASS, DEDUP_REASON_wanted);
	assert_saw(&f, DEDUP_REASON_wanted, n);
	expect(&f, XDP_DROP, DEDUP_REASON_duplicate);
	assert_saw(&f, DEDUP_REASON_duplicate, n);
	/* The hand stops, by which ids age, but not numbers. */
	state_of_filter()->stale_at = DEDUP_SLOW_PATH;
	if (fixture.filter.config->numbered[n].width) {
		expect(&f, XDP_DROP, DEDUP_REASON_duplicate);
		assert_saw(&f, DEDUP_REASON_duplicate, n);
	} else {
		expect(&f, XDP_PASS, DEDUP_REASON_stale);
		assert_got(0);
	}
	end_without_loss();
	assert_int_equal(state_of_filter()->sampler.reasons, 0);
}

/* Nothing may be learned at present. */
TEST_WITH(what_cannot_be_learned_is_sampled, NULL, unload)
{
	struct dedup_config cfg = fixture_still_config();
	struct id id = id_fresh();
	struct frame f;

	cfg.memory.claim = 1;
	fixture_load(&cfg);
	listen_to_all();
	state_of_filter()->limit = state_of_filter()->learned;
	frame_build(&f, &(struct frame_plan){ .body = 40 }, &id);
	expect(&f, XDP_PASS, DEDUP_REASON_unlearned);
	assert_saw(&f, DEDUP_REASON_unlearned, 0);
	end_without_loss();
}

/* Two streams of GSP/1: on GOSSIP_PORT, and on the next. */
static void load_two_streams(void)
{
	static const struct stream_wish WISHES[] = { { "gsp", "a", "8001", NULL, 0 },
						     { "gsp", "b", "8002", NULL, 1 } };
	struct filter_spec spec = { .capacity = 1000 };
	struct profiles all = { 0 };

	assert_int_equal(profiles_add_builtin(&all), 0);
	for (size_t i = 0; i < ARRAY_SIZE(WISHES); i++)
		stream_add(&spec, &all, &WISHES[i]);
	profiles_free(&all);
	stream_load(&spec);
}

static const struct choice {
	const char *name;
	uint32_t reasons, streams;
	bool is_new[2], duplicate[2]; /* seen, by stream */
	uint32_t cnt;		      /* seen in all */
} CHOICES[] = {
	{ "all-packets", ALL, UINT32_MAX, { true, true }, { true, true }, 4 },
	{ "drops-only", SAMPLING_DROPS, 3, { false, false }, { true, true }, 2 },
	{ "new-only", SAMPLING_NEW, 3, { true, true }, { false, false }, 2 },
	{ "first-stream-only", ALL, 1, { true, false }, { true, false }, 2 },
	{ "drops-of-second-stream", SAMPLING_DROPS, 2, { false, false }, { false, true }, 1 },
};

TEST_ROWS_WITH(only_what_was_asked_for, CHOICES, NULL, unload)
{
	load_two_streams();
	step();
	assert_int_equal(listen_to(row->reasons, row->streams, 256, row->cnt), 0);
	for (int i = 0; i < 2; i++) {
		struct id id = id_fresh();
		struct frame f;

		frame_build(&f, &(struct frame_plan){ .body = 40 }, &id);
		frame_put(&f, f.udp + 2, 2, GOSSIP_PORT + i);
		assert_int_equal(fixture_run(&f), XDP_PASS);
		assert_got(row->is_new[i]);
		assert_int_equal(fixture_run(&f), XDP_DROP);
		assert_got(row->duplicate[i]);
		if (row->duplicate[i])
			assert_int_equal(last()->slot, i);
	}
	/* What was not asked for takes none of the rate, and is not lost. */
	end_without_loss();
}

TEST(a_snap_cuts)
{
	static const uint32_t SNAPS[] = { 1,	14,   255,  256,  257,
					  2047, 2048, 2049, 9215, DEDUP_SNAP_MAX };
	static const uint32_t BODIES[] = { 0, 150, 174, 175, 2000, 3000, 9100, 9200 };
	static struct frame f;

	for (size_t i = 0; i < ARRAY_SIZE(SNAPS) * ARRAY_SIZE(BODIES); i++) {
		uint32_t snap = SNAPS[i % ARRAY_SIZE(SNAPS)], body = BODIES[i / ARRAY_SIZE(SNAPS)];
		struct id id = id_fresh();

		step();
		assert_int_equal(listen_to(ALL, 1, snap, 100), 0);
		frame_build(&f, &(struct frame_plan){ .body = body }, &id);
		/* Large ones are in several buffers, or, if that is asked for, others too. */
		fixture.linear = f.len > 3000 ? 1000 : i % 3 == 1 && f.len > 200 ? 120 : 0;
		expect(&f, XDP_PASS, DEDUP_REASON_new);
		fixture.linear = 0;
		assert_got(1);
		assert_int_equal(last()->len, f.len);
		assert_int_equal(last()->snapped, f.len < snap ? f.len : snap);
		assert_memory_equal(last()->frame, f.data, last()->snapped);
		end_without_loss();
	}
}

/* Another processor is ahead, and takes of the next second already. */
TEST(a_second_that_is_over_has_none_left)
{
	struct dedup_sampler *s = &state_of_filter()->sampler;
	uint64_t ahead = (kernel_now_ns() / SECOND_NS + 100) << 32;
	struct id id = id_fresh();

	listen_to_all();
	s->taken = ahead | 5;
	expect_event(&id, XDP_PASS, DEDUP_REASON_new);
	assert_got(0);
	assert_int_equal(s->taken, ahead | 5);
	assert_int_equal(end().limited, 1);
}

static uint32_t ring_id(void)
{
	int fd = filter_open_map(&fixture.filter, PIN_SAMPLES);
	__u32 id = 0;

	assert_return_code(fd, -fd);
	if (bpf_map_lookup_elem(fd, &(__u32){ 0 }, &id))
		assert_int_equal(errno, ENOENT);
	close(fd);
	return id;
}

TEST(a_lease_ends_by_itself)
{
	struct dedup_state *st = state_of_filter();
	struct id id = id_fresh();
	uint64_t until_ns;

	assert_int_equal(ring_id(), 0);
	listen_to_all();
	assert_int_not_equal(ring_id(), 0);
	until_ns = st->sampler.until_ns;
	assert_int_equal(until_ns, st->last_ns + DEDUP_SAMPLER_LEASE_NS);
	st->last_ns = until_ns - 1;
	expect_event(&id, XDP_PASS, DEDUP_REASON_new);
	assert_got(1);
	st->last_ns = until_ns;
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
	assert_got(0);
	/* It comes back, and still holds it. */
	step();
	usleep(RENEWED_US);
	step();
	assert_got(0);
	assert_int_equal(st->sampler.until_ns, st->last_ns + DEDUP_SAMPLER_LEASE_NS);
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
	assert_got(1);
	end_without_loss();
	assert_int_equal(st->sampler.until_ns, 0);
	assert_int_equal(ring_id(), 0);
}

/* The hand. */

TEST_WITH(the_hand_keeps_it_as_long_as_it_listens, NULL, unload)
{
	struct dedup_config cfg = fixture_live_config(FIXTURE_PORTS);
	uint64_t end_ns, walks;
	struct id id;

	fixture_load(&cfg);
	fixture_learn(&id, 1);
	assert_int_equal(listen_to(ALL, 1, 256, SAMPLING_RATE_MAX), 0);
	/* For longer than a lease. It walks ten times a second, which adds 2 each. */
	end_ns = kernel_now_ns() + DEDUP_SAMPLER_LEASE_NS + SECOND_NS;
	walks = READ_ONCE(state_of_filter()->walks);
	while (kernel_now_ns() < end_ns) {
		assert_int_equal(sampling_poll(seen.s, 20), 0);
		assert_true(layout_run_is_slow());
	}
	walks = READ_ONCE(state_of_filter()->walks) - walks;
	assert_in_range(walks, 2, 2 * (10 * (kernel_now_ns() - end_ns) / SECOND_NS + 42));
	seen.cnt = 0;
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
	assert_got(1);
	end_without_loss();
	layout_run_await_fast();
}

TEST_WITH(a_wanted_id_outlives_the_sampler, NULL, unload)
{
	struct dedup_config cfg = fixture_live_config(FIXTURE_PORTS);
	struct id ids[2];

	fixture_load(&cfg);
	fixture_learn(ids, 2);
	assert_int_equal(listen_to(ALL, 1, 256, 10), 0);
	assert_int_equal(want_id(&fixture.filter, ids[0].bytes), 1);
	end_without_loss();
	fixture_await(&state_of_filter()->last_ns, state_of_filter()->last_ns + 300 * MS);
	assert_true(layout_run_is_slow());
	expect_event(&ids[0], XDP_PASS, DEDUP_REASON_wanted);
	layout_run_await_fast();
	/* And the other way round. */
	assert_int_equal(want_id(&fixture.filter, ids[1].bytes), 1);
	assert_int_equal(listen_to(ALL, 1, 256, 10), 0);
	expect_event(&ids[1], XDP_PASS, DEDUP_REASON_wanted);
	fixture_await(&state_of_filter()->last_ns, state_of_filter()->last_ns + 300 * MS);
	assert_true(layout_run_is_slow());
	end_without_loss();
	layout_run_await_fast();
}

/* Two processors take of the same second. */
#define RACE_RATE 500
#define RACE_NS (2200 * MS) /* some turns of the second; less than a lease */
static atomic_uint race_sent;

static void *run_many(void *arg)
{
	static struct frame frames[2];
	struct frame *f = &frames[(intptr_t)arg];
	struct id id = { { 1 } };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = f->data, .repeat = 5000);

	pin_to_cpu((intptr_t)arg);
	frame_build(f, &(struct frame_plan){ .body = 0 }, &id);
	opts.data_size_in = f->len;
	for (uint64_t start_ns = kernel_now_ns(); kernel_now_ns() - start_ns < RACE_NS;) {
		if (bpf_prog_test_run_opts(fixture.fd, &opts))
			abort();
		atomic_fetch_add(&race_sent, opts.repeat);
	}
	return NULL;
}

TEST(two_processors_take_no_more_than_the_rate)
{
	uint32_t in_second[16] = { 0 }, most = 0;
	struct sampling_lost lost;
	struct id id = id_fresh();
	pthread_t threads[2];
	struct frame f;
	uint64_t first;

	step();
	assert_int_equal(listen_to(ALL, 1, 64, RACE_RATE), 0);
	for (intptr_t i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, run_many, (void *)i), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	lost = end();
	assert_int_equal(lost.full, 0);
	assert_int_equal(seen.cnt + lost.limited, atomic_load(&race_sent));
	first = seen.each_ns[0] / SECOND_NS;
	for (uint32_t i = 0; i < seen.cnt; i++) {
		uint32_t second = seen.each_ns[i] / SECOND_NS - first;

		assert_true(second < ARRAY_SIZE(in_second));
		if (++in_second[second] > most)
			most = in_second[second];
	}
	print_message("# %u seen, at most %u in a second\n", seen.cnt, most);
	assert_int_equal(most, RACE_RATE);
	/* The next sampler begins anew. */
	step();
	assert_int_equal(listen_to(ALL, 1, 256, 1), 0);
	frame_build(&f, &(struct frame_plan){ .body = 40 }, &id);
	assert_int_equal(fixture_run(&f), XDP_PASS);
	assert_got(1);
}

ROOT_MAIN(fixture_load_still, unload)
