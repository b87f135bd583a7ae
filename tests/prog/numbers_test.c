// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Numbered streams, in the program of either engine, against a dictionary of the messages that have
 * come: random profiles (widths, masks, byte orders, counts, layers), several streams and senders in a filter,
 * and random traffic (senders.h). A duplicate is a packet all of whose messages have come.
 */
#include "support.h"

#include "engine.h"
#include "packet.h"
#include "plan.h"
#include "profile.h"
#include "senders.h"
#include "stream_runner.h"

#define STREAMS_MAX 3
#define SENDERS_MAX 3 /* of a stream */
#define SESSION 10    /* bytes at the payload's begin: the sender, if the profile looks at them */
#define NUMBER_AT 16  /* in the payload: 8 bytes */
#define COUNT_AT 24   /* 2 bytes */
#define PAYLOAD 32

enum look { DIRECT, TO, ETHERNET, LOOKS };

/* What is random of a stream. */
struct kind {
	struct sender sender; /* of each: the recovery and the kind */
	enum look look;
	uint32_t bytes, low; /* of the number's field; bits below the number, which anybody sets */
	uint32_t width;	     /* of the number: perhaps more than is recovered */
	bool little, count_little; /* their least significant byte comes first */
	bool in_frame;		   /* ETHERNET: number and count are told from the frame's front */
	uint32_t senders;
};

/* One packet to come. */
struct event {
	double at;
	uint32_t stream, sender, arrival;
};

struct known {
	uint64_t fresh_in[SENDER_MESSAGES], numbering, last;
	bool began;
};

static struct kind kinds[STREAMS_MAX];
static uint32_t streams_cnt;
static struct arrivals arrivals[STREAMS_MAX][SENDERS_MAX];
static struct known knowns[STREAMS_MAX][SENDERS_MAX];
static struct event events[STREAMS_MAX * SENDERS_MAX * (SENDER_PATHS_MAX + 1) * SENDER_MESSAGES];
static uint32_t events_cnt;
static uint64_t seed;
static char text[4096]; /* the profiles */

static uint64_t below(uint64_t n)
{
	return random_next(&seed) % n;
}

static void any_kind(struct kind *k)
{
	struct dedup_recovery *r = &k->sender.recovery;

	sender_any(&k->sender, below(2) ? SENDER_EXACT : SENDER_PACKED, &seed);
	if (k->sender.kind == SENDER_EXACT && r->ring_shift < DEDUP_BLOCK_SHIFT)
		r->ring_shift = DEDUP_BLOCK_SHIFT;
	if (r->ring_shift > r->width)
		r->ring_shift = r->width;
	r->reset_jiffies = r->reset_jiffies < 10 ? 10 : r->reset_jiffies; /* a profile's least */
	k->sender.numbers_a_jiffy /= 5;
	k->look = below(LOOKS);
	k->width = r->width == DEDUP_WIDTH_MAX ? DEDUP_WIDTH_MAX + below(25) : r->width;
	k->bytes = (k->width + 7) / 8 + below(2);
	if (k->bytes > 8)
		k->bytes = 8;
	k->low = below(8 * k->bytes - k->width + 1);
	k->senders = 1 + below(SENDERS_MAX);
	k->little = below(2);
	k->count_little = below(2);
	k->in_frame = k->look == ETHERNET && below(2);
}

/* "/0x00ffff", the number's bits. */
static void say_mask(const struct kind *k, char *out, size_t size)
{
	uint64_t mask = (k->width == 64 ? ~0ULL : (1ULL << k->width) - 1) << k->low;

	snprintf(out, size, "/0x%0*" PRIx64, 2 * (int)k->bytes, mask);
}

static void add_profile(const struct kind *k, uint32_t n)
{
	const char *base = k->look == ETHERNET ? "tag+28" : "payload+0";
	uint32_t at = k->in_frame ? 42 : k->look == ETHERNET ? 28 : 0;
	const char *name = k->in_frame ? "frame" : k->look == ETHERNET ? "tag" : "payload";
	size_t len = strlen(text), size = sizeof(text);
	const char *order = k->little ? "le" : "";
	char mask[32];

	say_mask(k, mask, sizeof(mask));
	len += snprintf(text + len, size - len, "[profile n%u]\nlayer = %s\n", n,
			k->look == ETHERNET ? "ethernet" : "udp");
	if (k->look == ETHERNET) /* a port of its own tells it from the others */
		len += snprintf(text + len, size - len,
				"ethertype = 0x0800\nrequire = tag+22:2%s == 0x%04x\n", order,
				k->little ? __builtin_bswap16(9000 + n) : 9000 + n);
	len += snprintf(text + len, size - len, "source = %s:%d\nsequence = %s+%u:%u%s%s\n", base,
			SESSION, name, at + NUMBER_AT, k->bytes, order, mask);
	if (k->sender.kind == SENDER_PACKED)
		len += snprintf(text + len, size - len, "count = %s+%u:2%s\n", name, at + COUNT_AT,
				k->count_little ? "le" : "");
	snprintf(text + len, size - len, "history = %" PRIu64 "\nreset = %" PRIu64 "ms\n",
		 k->sender.recovery.ring_shift > DEDUP_BLOCK_SHIFT
			 ? (uint64_t)dedup_history(&k->sender.recovery)
			 : 1U << DEDUP_BLOCK_SHIFT,
		 (uint64_t)k->sender.recovery.reset_jiffies);
}

/* A filter with random numbered streams. */
static void any_filter(struct dedup_config *cfg)
{
	static const enum dedup_layout LAYOUTS[] = { DEDUP_BLOCKED, DEDUP_FLAT, DEDUP_COUNTDOWN };
	struct filter_spec spec = { .capacity = 1000,
				    .fpr_e18 = SPEC_FPR(1e-4),
				    .window_ns = 10000000000ULL,
				    .layout = LAYOUTS[below(3)],
				    .sources = STREAMS_MAX * SENDERS_MAX + below(100),
				    .paths = below(3) ? 0 : 1 + below(DEDUP_PATHS_MAX) };
	struct profiles all = { 0 };
	struct profile_error err;
	char ports[16];

	snprintf(text, sizeof(text), "[profile plain]\nlayer = udp\nid = payload+0:8\n");
	streams_cnt = 1 + below(STREAMS_MAX);
	for (uint32_t n = 0; n < streams_cnt; n++) {
		any_kind(&kinds[n]);
		add_profile(&kinds[n], n);
	}
	if (profiles_parse(&all, text, strlen(text), PROFILE_GIVEN, &err))
		fail_msg("line %u: %s, in\n%s", err.line, err.says, text);
	for (uint32_t n = 0; n < streams_cnt; n++) {
		char name[16];

		snprintf(name, sizeof(name), "n%u", n);
		snprintf(ports, sizeof(ports), "%u", 9000 + n);
		stream_add(&spec, &all,
			   &(struct stream_wish){ .profile = name,
						  .ports = kinds[n].look == ETHERNET ? NULL : ports,
						  .to = kinds[n].look == TO ? "0.0.0.0/0" : NULL,
						  .realm = n });
	}
	if (below(2)) /* beside others */
		stream_add(&spec, &all,
			   &(struct stream_wish){
				   .profile = "plain", .ports = "8001", .realm = streams_cnt });
	profiles_free(&all);
	assert_int_equal(plan_silently(&spec, cfg), 0);
	for (size_t i = 0; i < ARRAY_SIZE(cfg->secrets.key); i++)
		cfg->secrets.key[i] = (uint32_t)random_next(&seed);
	for (uint32_t n = 0; n < cfg->policy.streams_cnt; n++)
		cfg->policy.streams[n].realm_key = random_next(&seed);
}

static int by_time(const void *a, const void *b)
{
	double x = ((const struct event *)a)->at, y = ((const struct event *)b)->at;

	return (x > y) - (x < y);
}

static void any_traffic(void)
{
	events_cnt = 0;
	memset(knowns, 0, sizeof(knowns));
	for (uint32_t n = 0; n < streams_cnt; n++)
		for (uint32_t s = 0; s < kinds[n].senders; s++) {
			struct arrivals *a = &arrivals[n][s];

			sender_send(&kinds[n].sender, &seed, a);
			for (uint32_t i = 0; i < a->cnt; i++)
				events[events_cnt++] = (struct event){ a->list[i].at, n, s, i };
		}
	qsort(events, events_cnt, sizeof(events[0]), by_time);
}

/* Numbers below 2^40 stay in their part of all the numbers that there are, above which comes what
 * the sender's first number says: a packet is never in two parts.
 */
static uint64_t wire_number(const struct kind *k, const struct arrival *a)
{
	uint64_t low = a->number & ((1ULL << DEDUP_WIDTH_MAX) - 1);

	if (k->width <= DEDUP_WIDTH_MAX)
		return a->number;
	return low | 5ULL << DEDUP_WIDTH_MAX;
}

static uint32_t build(const struct event *e, uint8_t *frame)
{
	const struct kind *k = &kinds[e->stream];
	const struct arrival *a = &arrivals[e->stream][e->sender].list[e->arrival];
	uint64_t mask = (k->width == 64 ? ~0ULL : (1ULL << k->width) - 1) << k->low;
	uint64_t field = (wire_number(k, a) << k->low & mask) | (random_next(&seed) & ~mask);
	static struct frame f;
	uint32_t payload;

	frame_build(&f, &(struct frame_plan){ .body = PAYLOAD + a->count }, &NO_ID);
	frame_put(&f, f.udp + 2, 2, 9000 + e->stream);
	payload = f.udp + 8;
	memset(f.data + payload, 0, SESSION);
	f.data[payload + 3] = e->sender;
	f.data[payload + 9] = e->sender ^ 0x55;
	for (uint32_t i = 0; i < k->bytes; i++)
		f.data[payload + NUMBER_AT + i] = field >> 8 * (k->little ? i : k->bytes - 1 - i);
	for (uint32_t i = k->bytes; i < 8; i++)
		f.data[payload + NUMBER_AT + i] = below(256);
	frame_put(&f, payload + COUNT_AT, 2,
		  k->count_little ? __builtin_bswap16(a->count) : a->count);
	memcpy(frame, f.data, f.len);
	return f.len;
}

/* Is it a duplicate? And notes it. */
static bool is_duplicate(const struct event *e)
{
	const struct arrival *a = &arrivals[e->stream][e->sender].list[e->arrival];
	struct known *k = &knowns[e->stream][e->sender];
	uint64_t now = (uint64_t)a->at;
	bool all = true;

	if (!k->began || now - k->last > kinds[e->stream].sender.recovery.reset_jiffies)
		k->numbering++;
	k->began = true;
	k->last = now;
	for (uint32_t i = 0; i < a->count; i++)
		all &= k->fresh_in[a->message + i] == k->numbering;
	for (uint32_t i = 0; i < a->count; i++)
		k->fresh_in[a->message + i] = k->numbering;
	return all;
}

static void complain(uint64_t of, const struct event *e, uint32_t i, const struct answer *a)
{
	const struct kind *k = &kinds[e->stream];

	fail_msg("SEED=%" PRIu64
		 " CASES=1, event %u at %g ms: stream %u (look %u, width %u of %u bytes%s, low %u, ring 2^%u, reset %" PRIu64
		 "), sender %u, number %" PRIx64 "+%u: reason %u",
		 of, i, e->at, e->stream, k->look, k->width, k->bytes, k->little ? " le" : "",
		 k->low, k->sender.recovery.ring_shift, (uint64_t)k->sender.recovery.reset_jiffies,
		 e->sender, arrivals[e->stream][e->sender].list[e->arrival].number,
		 arrivals[e->stream][e->sender].list[e->arrival].count, a->reason);
}

/* Returns how many packets there were. */
static uint64_t run(enum engine_kind kind, uint64_t of)
{
	static const uint8_t MAC[6] = FRAME_MAC;
	struct dedup_config cfg;
	struct engine *e;

	seed = of;
	any_filter(&cfg);
	any_traffic();
	if (engine_open(kind, &cfg, MAC, &e))
		fail_msg("SEED=%" PRIu64 ": layout %u, %u streams of\n%s", of, cfg.memory.layout,
			 cfg.policy.streams_cnt, text);
	for (uint32_t i = 0; i < events_cnt; i++) {
		static uint8_t frame[FRAME_MAX];
		uint32_t len = build(&events[i], frame);
		bool duplicate = is_duplicate(&events[i]);
		struct answer a;

		assert_int_equal(engine_run(e, frame, len, (uint64_t)(events[i].at * 1e6), &a), 0);
		if (a.stream != events[i].stream || a.drops != duplicate ||
		    a.reason != (duplicate ? DEDUP_REASON_duplicate : DEDUP_REASON_new))
			complain(of, &events[i], i, &a);
	}
	engine_close(e);
	return events_cnt;
}

static void run_cases(enum engine_kind kind, uint64_t cases)
{
	uint64_t packets = 0, first = environment_number("SEED", 1);

	cases = environment_number("CASES", cases);
	for (uint64_t i = 0; i < cases; i++)
		packets += run(kind, first + i);
	print_message("%" PRIu64 " packets\n", packets);
}

TEST(in_user_space)
{
	run_cases(ENGINE_USER, tries(40, 400));
}

TEST(in_the_kernel)
{
	run_cases(ENGINE_KERNEL, tries(4, 8));
}

ROOT_MAIN(NULL, NULL)
