// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies of numbered packets on two CPUs at one instant: exactly one passes. Two threads have the
 * same script of packets and keep in step, so most copies meet. recovery_order_test tries every
 * order of a few small races; here, real CPUs choose the order, in long races with random sources.
 *
 * COPIES=1000000000 runs so many, however long that takes.
 */
#include "support.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "compiler.h"
#include "kernel.h"

/* Compare-and-swaps of this thread that came too late, or did not apply. */
static __thread uint64_t refused_swaps;

static __always_inline __u64 swap(__u64 *at, __u64 from, __u64 to)
{
	__u64 is = __sync_val_compare_and_swap(at, from, to);

	refused_swaps += is != from;
	return is;
}

/* In the kernel nobody else runs on the CPU of who holds a lock. Here somebody may: the other side
 * waits for as long as it takes.
 */
static __u64 wait_to_swap(__u64 *at, __u64 to)
{
	__u64 is;

	while ((is = swap(at, 0, to)) && is != to)
		sched_yield();
	return is;
}

static bool wait_to_lock(__u64 *at)
{
	while (swap(at, 0, 1))
		sched_yield();
	return true;
}

#define __sync_val_compare_and_swap(at, from, to) swap(at, from, to)
#define dedup_lock_word(word) wait_to_lock(word)
#define dedup_open_word(word, like) wait_to_swap(word, like)

#include "see.h"
#include "source_hand.h"

#define PACKETS 65536 /* of a race */
#define RACE_NS 200000000ULL
#define SPINS 20000   /* then somebody else may have the CPU */
#define LINGER_MAX 64 /* loops */
#define SENDERS_MAX 6
#define SOURCES (4 * SENDERS_MAX) /* so there is room, also while some are recycled */
#define RING_MAX 13		  /* log2 */
#define RUN 7			  /* far numbers before one that begins the numbers anew */
#define PERMUTED 16		  /* numbers that come in another order */

struct row {
	const char *name;
	uint32_t senders;
	uint32_t silence, restart, hand; /* one packet in so many; 0: never */
	bool are_packed;		 /* packets have several messages */
};

/* The numbers of a sender since they began. Packet j has the numbers from number_of(j) on. */
struct sender {
	struct dedup_recovery recovery;
	struct dedup_source_key key;
	uint64_t start, last; /* `last`: jiffies */
	uint32_t stride, order;
	uint32_t first, next; /* packets: those from `first` on are known, `next` is fresh */
	bool began;
};

/* A packet of the script. */
struct packet {
	struct dedup_packet_numbers numbers;
	uint8_t sender;
	uint8_t lead;	   /* packets before it that the other side may still have to do */
	uint8_t linger[2]; /* before it, of each side */
	uint8_t behind;	   /* 1 + the side whose clock is a jiffy late; 0: none */
	bool is_fresh, is_hand_first;
};

/* Each in cache lines of its own. */
struct side {
	_Alignas(128) atomic_ulong at; /* 2 i: before packet i; 2 i + 1: in it */
	uint64_t refused_swaps;
	int n;
	bool has_met[PACKETS]; /* the other side was in this packet, too */
	int seen[PACKETS];     /* enum dedup_recovered */
};

static struct sender senders[SENDERS_MAX];
static struct packet script[PACKETS];
static uint32_t script_cnt;
static struct side sides[2];
static struct dedup_sources table;
static struct dedup_block blocks[DEDUP_BUCKET_BLOCKS * SENDERS_MAX + 1 +
				 SOURCES * (DEDUP_SLOT_BLOCKS + (1 << (RING_MAX - DEDUP_BLOCK_SHIFT)))];
static uint64_t seed, now;
static uint32_t apart; /* packets to come that no other one may overlap */

static uint32_t below(uint32_t n)
{
	return random_next(&seed) % n;
}

static bool one_in(uint32_t n)
{
	return n && !below(n);
}

static uint64_t number_of(const struct sender *s, uint32_t j)
{
	return s->start + (uint64_t)s->stride * (j ^ (s->order % PERMUTED));
}

/* The farthest that a number may be from `near`. */
static uint64_t reach_of(const struct dedup_recovery *r)
{
	uint64_t half = 1ULL << (r->width - 1), ring = 1ULL << r->ring_shift;

	return half < ring ? half : ring;
}

/* Begins the numbers of a sender anew. Those of one block that is permuted, the block before and
 * the next one are within reach.
 */
static void begin_anew(const struct row *row, struct sender *s)
{
	uint32_t most = (reach_of(&s->recovery) - 2 * DEDUP_WORD_NUMBERS) / (3 * PERMUTED);

	s->start = random_next(&seed);
	s->stride = row->are_packed || one_in(4) ? 1 + below(most) : 1;
	s->order = random_next(&seed);
	s->first = s->next = 0;
	s->began = true;
}

static void any_senders(const struct row *row)
{
	uint32_t number_bits = below(2) ? DEDUP_WIDTH_MAX : 32;

	for (uint32_t i = 0; i < row->senders; i++) {
		struct sender *s = &senders[i];
		uint32_t width = DEDUP_WIDTH_MIN + below(64 - DEDUP_WIDTH_MIN + 1);
		struct dedup_numbered numbered = { .width = width };
		struct dedup_id id = { .word = { i, random_next(&seed) } };
		struct dedup_packet_numbers unused;

		*s = (struct sender){ .recovery = { .width = width, .number_bits = number_bits } };
		dedup_read_number(&s->key, &unused, &id, 2, &numbered);
		s->key.hash = random_next(&seed);
		if (s->recovery.width > number_bits)
			s->recovery.width = number_bits;
		s->recovery.ring_shift = 8 + below(RING_MAX - 8 + 1);
		if (s->recovery.ring_shift > s->recovery.width)
			s->recovery.ring_shift = s->recovery.width;
		s->recovery.reset_jiffies = 8 + below(8);
	}
	table = (struct dedup_sources){
		.buckets = DEDUP_BUCKET_BLOCKS * (1 + below(row->senders)),
		.sources = SOURCES,
		.slot_blocks = DEDUP_SLOT_BLOCKS + dedup_ring_blocks(RING_MAX),
		.number_bits = number_bits,
		.idle_jiffies = 20,
	};
	table.slots = table.buckets + 1;
	assert_true(dedup_sources_blocks(&table) <= ARRAY_SIZE(blocks));
	memset(blocks, 0, sizeof(blocks));
}

/* Adds the sender's j-th packet. Where time passes, both sides must have done all before it: no CPU
 * stands still in a packet for jiffies.
 */
static void add_packet(const struct row *row, struct sender *s, uint32_t j, bool is_fresh)
{
	bool has_time_passed = script_cnt && now > script[script_cnt - 1].numbers.now + 1;
	struct packet *p = &script[script_cnt++];
	uint64_t mask = (1ULL << DEDUP_WIDTH_MAX) - 1;
	uint32_t of_number = j * 0x9e3779b9 >> 8;

	*p = (struct packet){
		.numbers = { .first = number_of(s, j) & mask, .now = now, .count = 1 },
		.sender = s - senders,
		.lead = has_time_passed || apart || below(2) ? 0 : below(4),
		.linger = { below(LINGER_MAX), below(LINGER_MAX) },
		.behind = one_in(8) ? 1 + below(2) : 0,
		.is_fresh = is_fresh,
		.is_hand_first = row->hand && one_in(has_time_passed ? 2 : row->hand),
	};
	if (row->are_packed)
		p->numbers.count = 1 + of_number % s->stride;
	s->last = now;
	apart -= apart > 0;
}

/* Far numbers, and after a pause of three jiffies more of them: the sender begins anew. */
static void add_restart(const struct row *row, struct sender *s)
{
	now += 2;
	s->start = (number_of(s, s->next) + (1ULL << (s->recovery.width - 1))) & -PERMUTED;
	s->stride = 1;
	s->order = 0;
	s->first = 0;
	for (s->next = 0; s->next < RUN; s->next++)
		add_packet(row, s, s->next, true);
	now += 3;
	add_packet(row, s, s->next++, true);
}

/* A fresh number, before which there was a silence of `reset` by one side's clock perhaps, but not
 * by the other's. It is not known whether what has come so far is known from now on.
 */
static void add_edge(const struct row *row, struct sender *s)
{
	apart = 2;
	add_packet(row, s, s->next++, true);
	s->first = s->next;
}

/* Do numbers half of all away from the last ones begin anew? If no other sender's silence ends. */
static bool can_restart(const struct sender *s)
{
	return s->next > 0 && s->recovery.width > s->recovery.ring_shift + 2 &&
	       now - s->last <= 1 && script_cnt + RUN + 1 < PACKETS;
}

static void add_any(const struct row *row)
{
	struct sender *s = &senders[below(row->senders)];
	uint64_t silence = now - s->last, reset = s->recovery.reset_jiffies;
	uint32_t known;

	if (!s->began || silence > reset + 1) {
		begin_anew(row, s);
	} else if (silence >= reset) {
		add_edge(row, s);
		return;
	}
	if (one_in(row->restart) && can_restart(s)) {
		add_restart(row, s);
		return;
	}
	known = s->next - s->first < PERMUTED ? s->next - s->first : PERMUTED;
	if (known && one_in(6)) {
		add_packet(row, s, s->next - 1 - below(known), false);
		return;
	}
	add_packet(row, s, s->next, true);
	s->next++;
}

static void any_script(const struct row *row)
{
	now = 1000;
	script_cnt = 0;
	any_senders(row);
	while (script_cnt < PACKETS) {
		if (one_in(row->silence))
			now += 7 + below(20);
		else if (script_cnt % PERMUTED == 0)
			now += below(2);
		add_any(row);
	}
}

static void wait_for(const struct side *other, uint64_t at)
{
	for (int spins = 0; atomic_load_explicit(&other->at, memory_order_acquire) < at; spins++)
		if (spins > SPINS)
			sched_yield();
}

static void *run_side(void *arg)
{
	struct side *me = arg, *other = &sides[!me->n];

	pin_to_cpu(me->n);
	refused_swaps = 0;
	for (uint32_t i = 0; i < script_cnt; i++) {
		const struct packet *p = &script[i];
		const struct sender *s = &senders[p->sender];
		struct dedup_packet_numbers numbers = p->numbers;

		numbers.now -= p->behind == me->n + 1;
		wait_for(other, i < p->lead ? 0 : 2 * (i - p->lead));
		for (volatile uint32_t loops = p->linger[me->n]; loops; loops--)
			;
		atomic_store_explicit(&me->at, 2 * i + 1, memory_order_release);
		for (uint32_t slot = 0; p->is_hand_first && !me->n && slot < SOURCES; slot++)
			dedup_sources_pass(&table, blocks, slot, 0, numbers.now);
		me->seen[i] = dedup_see(&table, &s->recovery, blocks, &s->key, &numbers);
		me->has_met[i] = atomic_load_explicit(&other->at, memory_order_acquire) == 2 * i + 1;
		atomic_store_explicit(&me->at, 2 * i + 2, memory_order_release);
	}
	me->refused_swaps = refused_swaps;
	return NULL;
}

static void check_packet(const struct row *row, uint64_t of, uint32_t i)
{
	const struct packet *p = &script[i];
	const struct dedup_recovery *r = &senders[p->sender].recovery;
	int a = sides[0].seen[i], b = sides[1].seen[i];

	if ((a != DEDUP_SEEN) + (b != DEDUP_SEEN) != p->is_fresh || a <= DEDUP_SPENT ||
	    b <= DEDUP_SPENT)
		fail_msg("%s, race %" PRIu64
			 ", packet %u of sender %u (width %u, ring 2^%u, reset %u), number %" PRIx64
			 "+%u at %" PRIu64 ", %s: %d and %d",
			 row->name, of, i, p->sender, r->width, r->ring_shift,
			 (uint32_t)r->reset_jiffies, (uint64_t)p->numbers.first, p->numbers.count,
			 (uint64_t)p->numbers.now, p->is_fresh ? "fresh" : "known", a, b);
}

/* Returns how many copies were under way at one time with the other side's. */
static uint32_t race(const struct row *row, uint64_t of)
{
	pthread_t threads[2];
	uint32_t met = 0;

	seed = of;
	any_script(row);
	for (int n = 0; n < 2; n++) {
		sides[n].n = n;
		atomic_store(&sides[n].at, 0);
	}
	for (int n = 0; n < 2; n++)
		assert_int_equal(pthread_create(&threads[n], NULL, run_side, &sides[n]), 0);
	for (int n = 0; n < 2; n++)
		pthread_join(threads[n], NULL);
	for (uint32_t i = 0; i < script_cnt; i++) {
		check_packet(row, of, i);
		met += 2 * (sides[0].has_met[i] || sides[1].has_met[i]);
	}
	return met;
}

static const struct row ROWS[] = {
	{ "one-source", 1, 0, 0, 0, false },
	{ "several-sources", SENDERS_MAX, 0, 0, 0, false },
	{ "several-messages", 2, 1000, 1000, 0, true },
	{ "numbers-begin-anew", 2, 50, 50, 0, false },
	{ "sources-are-recycled", SENDERS_MAX, 30, 0, 50, true },
};

static void test_race(void **state)
{
	const struct row *row = *state;
	uint64_t copies = 0, met = 0, refused = 0, began_ns = kernel_now_ns();
	uint64_t end_ns = began_ns + RACE_NS * tries(1, 5);
	uint64_t goal = environment_number("COPIES", 0) / ARRAY_SIZE(ROWS);

	if (goal)
		alarm(0);
	for (uint64_t i = 1; goal ? copies < goal : kernel_now_ns() < end_ns; i++) {
		met += race(row, i);
		copies += 2 * PACKETS;
		refused += sides[0].refused_swaps + sides[1].refused_swaps;
	}
	print_message("%s: %" PRIu64 " copies in %.1f s, %" PRIu64 " of them met, %" PRIu64
		      " compare-and-swaps were refused\n",
		      row->name, copies, (kernel_now_ns() - began_ns) / 1e9, met, refused);
	assert_true(met > 0);
}

int main(void)
{
	add_rows(ROWS, test_race, NULL, NULL);
	return run_added_any_tests("number_race");
}
