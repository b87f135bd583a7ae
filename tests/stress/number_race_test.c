// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies of numbered packets on two CPUs at one instant: exactly one passes. recovery_order_test tries
 * every order of a few small races; here, real CPUs choose the order, in long races of random senders.
 *
 * COPIES=1000000000 runs so many, however long that takes.
 */
#include "unit.h"

#include <sched.h>

#include "compiler.h"
#include "kernel.h"
#include "pair.h"

/* In the kernel nobody else runs on the CPU of who holds a lock. Here somebody may: the other side
 * waits for as long as it takes.
 */
static __u64 wait_to_swap(__u64 *at, __u64 to)
{
	__u64 is;

	while ((is = __sync_val_compare_and_swap(at, 0, to)) && is != to)
		sched_yield();
	return is;
}

static bool wait_to_lock(__u64 *at)
{
	while (__sync_val_compare_and_swap(at, 0, 1))
		sched_yield();
	return true;
}

#define dedup_lock_word(word) wait_to_lock(word)
#define dedup_open_word(word, like) wait_to_swap(word, like)

#include "number_calls.h"
#include "senders.h"
#include "source_hand.h"

#define RACE_NS 200000000ULL
#define LINGER_MAX 64 /* loops */
#define SENDERS_MAX 6
#define PACKETS (SENDERS_MAX * SENDER_PATHS_MAX * SENDER_MESSAGES) /* of a race, at most */
#define SOURCES (4 * SENDERS_MAX) /* so there is room, also while some are recycled */
#define RING_MAX 16		  /* log2 */
#define IDLE 40			  /* jiffies: longer than any sender's reset */

struct row {
	const char *name;
	uint32_t senders, stride; /* stride: numbers of a packet, at most */
	uint32_t hand;		  /* it passes before one packet in so many; 0: never */
};

/* A sender, what arrives of it, and what has come so far. */
struct numbered {
	struct sender sender;
	struct dedup_source_key key;
	struct arrivals arrivals;
	uint32_t next;			/* arrival */
	uint64_t later;			/* jiffies by which the next ones come later */
	uint64_t last;			/* jiffies */
	uint32_t silent;		/* 1 + how often it was */
	uint32_t came[SENDER_MESSAGES]; /* `silent` then; 0: not yet */
};

/* A packet of the script. */
struct packet {
	struct dedup_packet_numbers numbers;
	uint8_t sender;
	uint8_t linger[2]; /* before it, of each side */
	uint8_t behind;	   /* 1 + the side whose clock is a jiffy late; 0: none */
	bool is_fresh, is_hand_first;
};

static struct numbered senders[SENDERS_MAX];
static struct packet script[PACKETS];
static uint32_t script_cnt;
static int seen[PACKETS][2]; /* enum dedup_recovered, of each side */
static struct dedup_sources table;
static struct dedup_block blocks[DEDUP_BUCKET_BLOCKS * SENDERS_MAX + 1 +
				 SOURCES * (DEDUP_SLOT_BLOCKS + (1 << (RING_MAX - DEDUP_BLOCK_SHIFT)))];
static uint64_t seed;

static bool one_in(uint32_t n)
{
	return n && !random_below(&seed, n);
}

static void any_senders(const struct row *row)
{
	uint32_t number_bits = random_below(&seed, 2) ? DEDUP_WIDTH_MAX : 32;

	for (uint32_t i = 0; i < row->senders; i++) {
		struct numbered *s = &senders[i];
		struct dedup_numbered numbered = { 0 };
		struct dedup_id id = { .word = { i, random_next(&seed) } };
		struct dedup_packet_numbers unused;

		memset(s, 0, sizeof(*s));
		do
			sender_any(&s->sender, SENDER_EXACT, &seed);
		while (s->sender.recovery.width > number_bits);
		s->sender.recovery.number_bits = number_bits;
		s->sender.numbers_a_jiffy /= row->stride > 1 ? 1.5 * row->stride : 1;
		sender_send(&s->sender, &seed, &s->arrivals);
		numbered.width = s->sender.recovery.width;
		dedup_read_number(&s->key, &unused, &id, 2, &numbered);
		s->key.hash = random_next(&seed);
		s->silent = 1;
	}
	table = (struct dedup_sources){
		.buckets = DEDUP_BUCKET_BLOCKS * (1 + random_below(&seed, row->senders)),
		.sources = SOURCES,
		.slot_blocks = DEDUP_SLOT_BLOCKS + dedup_ring_blocks(RING_MAX),
		.number_bits = number_bits,
		.idle_jiffies = IDLE,
	};
	table.slots = table.buckets + 1;
	assert_true(dedup_sources_blocks(&table) <= ARRAY_SIZE(blocks));
	memset(blocks, 0, sizeof(blocks));
}

/* When the sender's next packet comes. By each side's clock there was a silence of `reset` before
 * it, or by none: recovery_order_test has the others.
 */
static uint64_t next_at(struct numbered *s)
{
	uint64_t reset = s->sender.recovery.reset_jiffies, now;

	if (s->next == s->arrivals.cnt)
		return UINT64_MAX;
	now = (uint64_t)s->arrivals.list[s->next].at + s->later;
	if (s->next && (now - s->last == reset || now - s->last == reset + 1)) {
		s->later += 2;
		now += 2;
	}
	return now;
}

static void add_packet(const struct row *row, struct numbered *s, uint64_t now)
{
	const struct arrival *a = &s->arrivals.list[s->next++];
	uint64_t mask = (1ULL << DEDUP_WIDTH_MAX) - 1;

	if (now - s->last > s->sender.recovery.reset_jiffies)
		s->silent++;
	s->last = now;
	script[script_cnt++] = (struct packet){
		.numbers = { .first = a->number * row->stride & mask,
			     .now = now,
			     .count = 1 + (a->message * 0x9e3779b9 >> 8) % row->stride },
		.sender = s - senders,
		.linger = { random_below(&seed, LINGER_MAX), random_below(&seed, LINGER_MAX) },
		.behind = one_in(8) ? 1 + random_below(&seed, 2) : 0,
		.is_fresh = s->came[a->message] != s->silent,
		.is_hand_first = one_in(row->hand),
	};
	s->came[a->message] = s->silent;
}

static void any_script(const struct row *row)
{
	script_cnt = 0;
	any_senders(row);
	for (;;) {
		struct numbered *first = senders;

		for (struct numbered *s = senders + 1; s < senders + row->senders; s++)
			if (next_at(s) < next_at(first))
				first = s;
		if (next_at(first) == UINT64_MAX)
			break;
		add_packet(row, first, next_at(first));
	}
}

static bool see(void *arg, int side, uint32_t i)
{
	const struct packet *p = &script[i];
	const struct numbered *s = &senders[p->sender];
	struct dedup_packet_numbers numbers = p->numbers;

	(void)arg;
	numbers.now -= p->behind == side + 1;
	for (volatile uint32_t loops = p->linger[side]; loops; loops--)
		;
	for (uint32_t slot = 0; p->is_hand_first && !side && slot < SOURCES; slot++)
		dedup_sources_pass(&table, blocks, slot, 0, numbers.now);
	seen[i][side] = dedup_see(&table, &s->sender.recovery, blocks, &s->key, &numbers);
	return seen[i][side] != DEDUP_SEEN;
}

static void check_packet(const struct row *row, uint64_t of, uint32_t i)
{
	const struct packet *p = &script[i];
	const struct dedup_recovery *r = &senders[p->sender].sender.recovery;
	int a = seen[i][0], b = seen[i][1];

	if ((a != DEDUP_SEEN) + (b != DEDUP_SEEN) != p->is_fresh || a <= DEDUP_SPENT ||
	    b <= DEDUP_SPENT)
		fail_msg("%s, race %" PRIu64
			 ", packet %u of sender %u (width %u, ring 2^%u, reset %u), number %" PRIx64
			 "+%u at %" PRIu64 ", %s: %d and %d",
			 row->name, of, i, p->sender, r->width, r->ring_shift,
			 (uint32_t)r->reset_jiffies, (uint64_t)p->numbers.first, p->numbers.count,
			 (uint64_t)p->numbers.now, p->is_fresh ? "fresh" : "known", a, b);
}

static const struct row ROWS[] = {
	{ "one-source", 1, 1, 0 },
	{ "several-sources", SENDERS_MAX, 1, 0 },
	{ "several-messages", 2, 5, 0 },
	{ "sources-are-recycled", SENDERS_MAX, 5, 50 },
};

TEST_ROWS(test_race, ROWS)
{
	uint64_t copies = 0, won[2] = { 0 }, began_ns = kernel_now_ns();
	uint64_t end_ns = began_ns + RACE_NS * tries(1, 5);
	uint64_t goal = environment_number("COPIES", 0) / ARRAY_SIZE(ROWS);

	if (goal)
		alarm(0);
	for (uint64_t of = 1; goal ? copies < goal : kernel_now_ns() < end_ns; of++) {
		struct pair_result r;

		seed = of;
		any_script(row);
		r = pair_run(
			&(struct pair){ .try = see, .items = script_cnt, .ns = goal ? 0 : RACE_NS });
		for (uint32_t i = 0; i < r.items; i++)
			check_packet(row, of, i);
		won[0] += r.won[0];
		won[1] += r.won[1];
		copies += 2 * r.items;
	}
	print_message("%s: %" PRIu64 " copies in %.1f s; of %" PRIu64 " and %" PRIu64
		      " one CPU was first\n",
		      row->name, copies, (kernel_now_ns() - began_ns) / 1e9, won[0], won[1]);
	assert_true(won[0] && won[1]);
}

UNIT_MAIN()
