// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* FIPS messages by libxdp-dedup: what peers announce becomes known to the filter, and what
 * the filter knows is announced.
 */
#include "lib_runner.h"

#include <math.h>

#include "array_rate.h"
#include "await.h"
#include "fips_fixture.h"
#include "fips_count.h"
#include "fips_rate.h"
#include "xdp-dedup-fips.h"

#define PEER 7

#define LOAD_FIPS "load %s --name %s --port %d --layout flat --hash fips --hashes 5 %s"

__attribute__((format(printf, 1, 2))) static void take_fips_with(const char *format, ...)
{
	char options[80];
	va_list args;

	va_start(args, format);
	vsnprintf(options, sizeof(options), format, args);
	va_end(args);
	lib_let_go();
	e2e_tool("unload --all");
	e2e_tool(LOAD_FIPS, "ve0", LIB_NAME, GOSSIP_PORT, options);
	lib_take(LIB_NAME);
}

static void take_fips(uint32_t m)
{
	take_fips_with("--capacity 1k --fpr 0.01 --bits %u", m);
}

/* As a packet carries it. */
static struct id id_of(const struct fips_item *item)
{
	struct id id = { 0 };

	memcpy(id.bytes, item->byte, sizeof(item->byte));
	return id;
}

static bool item_dropped(uint64_t n)
{
	struct fips_item item = nth_item(n);
	struct id id = id_of(&item);

	return lib_packet_dropped(&id);
}

static bool item_known(struct xdp_dedup_filter *f, uint64_t n)
{
	struct fips_item item = nth_item(n);

	return xdp_dedup_test(f, &item, sizeof(item)) == 1;
}

static void encode(const struct fips_filter *f, uint64_t sequence, uint8_t msg[FIPS_V1_MSG_BYTES])
{
	assert_int_equal(fips_encode(f, sequence, msg, FIPS_V1_MSG_BYTES), FIPS_V1_MSG_BYTES);
}

static int absorb_of(struct xdp_dedup_filter *live, uint64_t peer, uint64_t sequence,
		     const struct fips_filter *f, double fpr_max)
{
	uint8_t msg[FIPS_V1_MSG_BYTES];

	encode(f, sequence, msg);
	return xdp_dedup_fips_absorb(live, peer, msg, sizeof(msg), fpr_max);
}

/* Each message of this peer is a newer one. */
static int absorb(const struct fips_filter *f, double fpr_max)
{
	static uint64_t sequence;

	return absorb_of(lib.f, PEER, ++sequence, f, fpr_max);
}

/* Ids that set so many of the filter's bits. */
static double ids_of(double set)
{
	return array_ids(lib.raw.config->memory.m, lib.raw.config->memory.k, set);
}

static const uint32_t FIPS_SIZES[] = { 64, 4096, 32768 };

/* Bits of both generations: a small filter turns soon after it has learned. */
static uint64_t all_set_bits(void)
{
	struct xdp_dedup_stats s = lib_stats();

	return s.set_bits + s.set_bits_previous;
}

/* The vector's message is absorbed; then its items and those of another filter are duplicates. */
static void absorb_at(uint32_t m)
{
	json_object *vector = vectors("announce"), *items = member(vector, "items");
	struct fips_filter more = filter_with(0, 100);
	uint8_t msg[FIPS_V1_MSG_BYTES];
	uint64_t learned, set;

	take_fips(m);
	learned = lib.raw.state->learned;
	assert_int_equal(from_hex(text(vector, "hex"), msg, sizeof(msg)), sizeof(msg));
	assert_int_equal(xdp_dedup_fips_absorb(lib.f, PEER + 1, msg, sizeof(msg), 1e-6), 0);
	set = all_set_bits();
	assert_in_range(lib.raw.state->learned - learned, ceil(ids_of(set)), ceil(ids_of(set)) + 1);
	if (m >= 4096)
		assert_int_equal(set, 15 * m / (m < 8192 ? m : 8192));
	for (size_t i = 0; i < json_object_array_length(items); i++) {
		const char *hex = json_object_get_string(json_object_array_get_idx(items, i));
		struct fips_item item = item_from_hex(hex);
		struct id id = id_of(&item);

		assert_int_equal(xdp_dedup_test(lib.f, item.byte, sizeof(item)), 1);
		assert_true(lib_packet_dropped(&id));
	}
	if (m < 4096)
		return; /* there is no room for more */
	for (int n = 0; n < 100; n++)
		assert_false(item_dropped(1000 + n));
	assert_int_equal(absorb(&more, 1e-2), 0);
	for (int n = 0; n < 100; n++)
		assert_true(item_dropped(n));
}

TEST(absorbs)
{
	for (size_t i = 0; i < ARRAY_SIZE(FIPS_SIZES); i++)
		absorb_at(FIPS_SIZES[i]);
}

TEST(absorb_refuses_what_is_malformed)
{
	json_object *rows = vectors("rejected");
	struct fips_filter other = empty_filter(4, FIPS_V1_SIZE_CLASS);
	uint8_t msg[4200], good[FIPS_V1_MSG_BYTES];

	take_fips(8192);
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		json_object *row = json_object_array_get_idx(rows, i);
		size_t len = from_hex(text(row, "hex"), msg, sizeof(msg));

		assert_int_equal(xdp_dedup_fips_absorb(lib.f, PEER, msg, len, 1), -EBADMSG);
	}
	insert_items(&other, 0, 10);
	assert_int_equal(absorb(&other, 1), -EBADMSG);
	other = filter_with(0, 10);
	encode(&other, 1, good);
	for (size_t len = 0; len < sizeof(good); len += len < 16 ? 1 : 97)
		assert_int_equal(xdp_dedup_fips_absorb(lib.f, PEER, good, len, 1), -EBADMSG);
	assert_int_equal(lib_stats().set_bits, 0);
	assert_int_equal(lib.raw.state->learned, 0);
}

TEST(absorb_refuses_what_is_too_full)
{
	static const uint32_t ITEMS[] = { 3, 200, 400 };
	struct fips_filter full = filter_with_bits(V1_BITS), much = filter_with(0, 1000);

	take_fips_with("--capacity 2k --fpr 0.01 --bits 32768");
	for (size_t i = 0; i < ARRAY_SIZE(ITEMS); i++) {
		struct fips_filter f = filter_with(0, ITEMS[i]);
		double fpr = fips_counted_rate(f.word, V1_BITS, 5);

		assert_true(fpr > 0);
		assert_int_equal(absorb(&f, fpr * (1 - 1e-9)), -EDOM);
		assert_int_equal(absorb(&f, 0), -EDOM);
		assert_int_equal(absorb(&f, NAN), -EDOM);
		assert_int_equal(absorb(&f, -1), -EDOM);
	}
	/* One that says nothing is not believed at any rate, nor one that says too little for
	 * what the filter promises.
	 */
	assert_int_equal(absorb(&full, 1), -EDOM);
	assert_int_equal(absorb(&full, INFINITY), -EDOM);
	assert_int_equal(absorb(&much, 1), -EDOM);
	assert_int_equal(lib_stats().set_bits, 0);
	for (size_t i = 0; i < 2; i++) {
		struct fips_filter f = filter_with(0, ITEMS[i]);

		assert_int_equal(absorb(&f, fips_counted_rate(f.word, V1_BITS, 5)), 0);
		assert_int_equal(lib_stats().set_bits, fips_set_bits(&f) * 4);
	}
}

/* Counts the items of these numbers that are known: not more than the filter promises, nor than its
 * estimate.
 */
static uint64_t count_known(uint64_t first, uint64_t tries)
{
	struct xdp_dedup_stats s = lib_stats();
	uint64_t known = 0;

	for (uint64_t n = 0; n < tries; n++)
		known += item_known(lib.f, first + n);
	print_message("# of %ju items %ju are known: %.3g were promised, %.3g by the bits\n",
		      (uintmax_t)tries, (uintmax_t)known, s.fpr, s.fpr_estimate);
	assert_true(known <= s.fpr * tries + 3 * sqrt(s.fpr * tries));
	assert_true(known <= s.fpr_estimate * tries + 3 * sqrt(known));
	return known;
}

/* A quarter of the bits is little, but every 4th of them holds one item in 16. */
TEST(chosen_bits_are_not_taken_for_random_ones)
{
	struct fips_filter f = filter_with(0, 0), g = f;

	take_fips_with("--capacity 50k --fpr 0.01 --bits 65536");
	lib_freeze();
	for (uint32_t bit = 0; bit < V1_BITS; bit += 4)
		dedup_bits_set(f.word, bit);
	assert_int_equal(absorb(&f, 1), -EDOM);
	assert_int_equal(lib_stats().set_bits, 0);
	/* In portions, by many peers: as far as there is room for a whole portion. */
	for (uint64_t peer = 0; peer < 16; peer++) {
		for (uint32_t bit = 4 * peer; bit < V1_BITS; bit += 64)
			dedup_bits_set(g.word, bit);
		absorb_of(lib.f, peer, 1, &g, 1);
	}
	assert_true(count_known(0, 50000) > 0); /* something was believed */
}

/* A larger array repeats the bits: absorbing takes more of an equal capacity. Measured with the
 * hand at rest, so that nothing else is learned or forgotten.
 */
TEST(absorb_pays_for_the_bits_it_sets)
{
	static const char *const SIZES[] = { "4096", "8192", "65536", "1048576" };

	for (size_t i = 0; i < ARRAY_SIZE(SIZES); i++) {
		uint64_t learned;

		take_fips_with("--capacity 50k --fpr 0.01 --bits %s", SIZES[i]);
		lib_freeze();
		for (uint64_t peer = 0; peer < 3; peer++) {
			struct fips_filter f = filter_with(100 * peer, 100 * peer + 60);
			double before = ids_of(lib_stats().set_bits), ids;

			learned = lib.raw.state->learned;
			assert_int_equal(absorb_of(lib.f, peer, 1, &f, 1), 0);
			ids = ids_of(lib_stats().set_bits) - before;
			assert_true(ids >= 60 * 0.9 * (i < 2 ? 1 : lib.raw.config->memory.m / 8192.0));
			if (!(lib.raw.state->learned - learned >= ids &&
			      lib.raw.state->learned - learned <= ids * 1.05 + 2))
				fail_msg("m = %s: %llu paid, not %g", SIZES[i],
					 lib.raw.state->learned - learned, ids);
		}
	}
}

/* Peers of ten new items until there is room for no more, then ids. Returns the peers. */
static int fill_up(uint64_t *next)
{
	int peers = 0;

	for (;; peers++, *next += 10) {
		struct fips_filter f = filter_with(*next, *next + 10);
		int err = absorb(&f, 1);

		if (err == -ENOSPC)
			break;
		assert_int_equal(err, 0);
	}
	for (int err = 0; err != -ENOSPC; ++*next) {
		struct fips_item item = nth_item(*next);

		err = xdp_dedup_add(lib.f, &item, sizeof(item));
		assert_true(err == 0 || err == 1 || err == -ENOSPC);
	}
	return peers;
}

/* Both generations full of what peers say: fresh ids are taken for known ones as seldom as
 * was promised.
 */
TEST(absorbed_filters_keep_the_rate)
{
	/* At 3e-5 it counts that what a larger array holds is repeated. */
	static const struct {
		const char *options;
		uint64_t tries;
	} ROWS[] = { { "--capacity 50k --fpr 2e-3 --bits 65536", 200000 },
		     { "--capacity 50k --fpr 3e-5 --bits 65536", 2000000 },
		     { "--capacity 50k --fpr 2e-3 --bits 8192", 200000 },
		     { "--capacity 50k --fpr 5e-3 --bits 4096", 100000 } };

	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		uint64_t next = 0;
		int peers;

		take_fips_with("%s", ROWS[i].options);
		lib_freeze();
		peers = fill_up(&next);
		lib.raw.state->hand += 1ULL << 32; /* the other array, which is empty */
		lib.raw.state->limit = lib.raw.state->learned + lib.raw.config->memory.full_ids;
		peers += fill_up(&next);
		assert_true(peers > 2);
		/* They are full. */
		assert_true(count_known(1ULL << 40, ROWS[i].tries) >=
			    lib_stats().fpr * ROWS[i].tries / 2);
	}
}

/* Peers of one network announce nearly equal filters, twice a second. */
TEST(what_is_known_costs_nothing)
{
	struct fips_filter f = filter_with(0, 100), more = filter_with(0, 101);
	uint64_t learned;

	take_fips(8192);
	lib_freeze();
	assert_int_equal(absorb_of(lib.f, 0, 1, &f, 1), 0);
	learned = lib.raw.state->learned;
	for (uint64_t peer = 0; peer < 10; peer++)
		for (uint64_t sequence = 2; sequence < 50; sequence++)
			assert_int_equal(absorb_of(lib.f, peer, sequence, &f, 1), 0);
	assert_int_equal(lib.raw.state->learned, learned);
	lib.raw.state->limit = learned; /* not even room is needed */
	assert_int_equal(absorb_of(lib.f, 0, 50, &f, 1), 0);
	assert_int_equal(absorb_of(lib.f, 0, 51, &more, 1), -ENOSPC);
	lib.raw.state->limit = learned + 2;
	assert_int_equal(absorb_of(lib.f, 0, 51, &more, 1), 0);
	assert_in_range(lib.raw.state->learned, learned + 1, learned + 2);
}

TEST(stale_and_repeated_announcements_are_refused)
{
	struct fips_filter f = filter_with(0, 10), g = filter_with(10, 20);
	struct fips_filter full = filter_with_bits(V1_BITS);
	uint64_t set;

	take_fips(8192);
	assert_int_equal(absorb_of(lib.f, 1, 0, &f, 1), 0);
	set = lib_stats().set_bits;
	assert_int_equal(absorb_of(lib.f, 1, 0, &g, 1), -EALREADY);
	assert_int_equal(absorb_of(lib.f, 1, 5, &f, 1), 0);
	assert_int_equal(absorb_of(lib.f, 1, 5, &f, 1), -EALREADY);
	assert_int_equal(absorb_of(lib.f, 1, 4, &g, 1), -EALREADY);
	/* Nothing of what was refused for another reason counts. */
	assert_int_equal(absorb_of(lib.f, 1, 9, &full, 1), -EDOM);
	assert_int_equal(lib_stats().set_bits, set);
	assert_int_equal(absorb_of(lib.f, UINT64_MAX, 4, &f, 1), 0); /* another peer's */
	assert_int_equal(absorb_of(lib.f, UINT64_MAX, 4, &f, 1), -EALREADY);
	assert_int_equal(absorb_of(lib.f, 1, 6, &g, 1), 0);
	assert_true(lib_stats().set_bits > set);
	xdp_dedup_fips_forget(lib.f, 1);
	xdp_dedup_fips_forget(lib.f, 2);
	assert_int_equal(absorb_of(lib.f, 1, 2, &g, 1), 0);
	assert_int_equal(absorb_of(lib.f, 1, 2, &g, 1), -EALREADY);
	assert_int_equal(absorb_of(lib.f, UINT64_MAX, 4, &f, 1), -EALREADY);
	assert_int_equal(absorb_of(lib.f, UINT64_MAX, UINT64_MAX, &f, 1), 0);
}

TEST(fips_is_for_its_own_layout)
{
	static const char *const OPTIONS[] = { "",
					       "--layout flat --hash siphash --bits 8192 --hashes 5",
					       "--layout countdown --hash fips --capacity 5k",
					       "--layout flat --hash fips --bits 1000",
					       "--layout flat --hash fips --bits 32",
					       "--layout flat --hash fips --bits 8256" };
	struct fips_filter f = filter_with(0, 3);
	uint8_t msg[FIPS_V1_MSG_BYTES];

	for (size_t i = 0; i < ARRAY_SIZE(OPTIONS); i++) {
		lib_load(OPTIONS[i]);
		assert_int_equal(absorb(&f, 1), -EOPNOTSUPP);
		assert_int_equal(xdp_dedup_fips_absorb(lib.f, PEER, msg, 0, 1), -EOPNOTSUPP);
		assert_int_equal(xdp_dedup_fips_announce(lib.f, 1, msg, sizeof(msg)), -EOPNOTSUPP);
		assert_int_equal(lib_stats().set_bits, 0);
	}
}

/* What is announced of a filter that is no longer there would be true for ever. */
TEST(absorb_and_announce_are_stale)
{
	struct fips_filter f = filter_with(0, 3);
	uint8_t msg[FIPS_V1_MSG_BYTES] = { 0xee };

	take_fips_with("--capacity 500 --fpr 0.01 --window 5s");
	assert_int_equal(absorb(&f, 1), 0);
	assert_int_equal(xdp_dedup_fips_announce(lib.f, 1, msg, sizeof(msg)), sizeof(msg));
	e2e_tool("unload ve0");
	AWAIT(lib_stats().stopped);
	assert_int_equal(absorb(&f, 1), -ESTALE);
	msg[0] = 0xee;
	assert_int_equal(xdp_dedup_fips_announce(lib.f, 2, msg, sizeof(msg)), -ESTALE);
	assert_int_equal(msg[0], 0xee);
}

static struct fips_filter announced(uint64_t sequence)
{
	uint8_t msg[FIPS_V1_MSG_BYTES + 8];
	struct fips_filter f;
	uint64_t read = 0;

	memset(msg, 0xee, sizeof(msg));
	assert_int_equal(xdp_dedup_fips_announce(lib.f, sequence, msg, FIPS_V1_MSG_BYTES - 1),
			 -ENOSPC);
	assert_int_equal(msg[0], 0xee);
	assert_int_equal(xdp_dedup_fips_announce(lib.f, sequence, msg, sizeof(msg)),
			 FIPS_V1_MSG_BYTES);
	assert_int_equal(msg[FIPS_V1_MSG_BYTES], 0xee);
	assert_int_equal(fips_decode(msg, FIPS_V1_MSG_BYTES, &f, &read), FIPS_ACCEPTED);
	assert_true(read == sequence && f.hash_count == 5);
	return f;
}

static void assert_announced(uint64_t first, uint64_t end)
{
	struct fips_filter f = announced(first << 40 | end), direct = filter_with(first, end);

	for (uint64_t n = first; n < end; n++) {
		struct fips_item item = nth_item(n);

		assert_true(fips_test(&f, &item));
	}
	if (lib.raw.config->memory.m >= V1_BITS)
		assert_true(fips_equal(&f, &direct));
	for (uint32_t i = 0, words = lib.raw.config->memory.m / 64; i + words < V1_BITS / 64; i++)
		assert_true(f.word[i] == f.word[i + words]);
}

/* Items that came as packets, and by the application; of both generations. */
static void announce_at(uint32_t m)
{
	take_fips(m);
	assert_announced(0, 0);
	for (uint64_t n = 0; n < 50; n++)
		assert_false(item_dropped(n));
	assert_announced(0, 50);
	e2e_tool("rotate " LIB_NAME);
	for (uint64_t n = 50; n < 100; n++) {
		struct fips_item item = nth_item(n);

		assert_int_equal(xdp_dedup_check_and_add(lib.f, item.byte, sizeof(item)), 0);
	}
	assert_announced(0, 100);
	e2e_tool("rotate " LIB_NAME);
	assert_announced(50, 100);
	lib_freeze();
	lib.raw.state->hand |= 1; /* the older array is being cleared */
	assert_announced(0, 0);
	e2e_tool("unload --all");
}

TEST(announces)
{
	for (size_t i = 1; i < ARRAY_SIZE(FIPS_SIZES); i++)
		announce_at(FIPS_SIZES[i]);
}

/* What one filter announces is known to another one. */
TEST(announce_and_absorb)
{
	struct xdp_dedup_filter *other;
	uint8_t msg[FIPS_V1_MSG_BYTES];

	take_fips(32768);
	for (uint64_t n = 0; n < 100; n++)
		assert_false(item_dropped(n));
	e2e_tool(LOAD_FIPS, "ve1", "lib2", GOSSIP_PORT, "--capacity 500 --fpr 0.01 --bits 4096");
	assert_int_equal(xdp_dedup_fips_announce(lib.f, 1, msg, sizeof(msg)), sizeof(msg));
	assert_int_equal(xdp_dedup_open("lib2", &other), 0);
	assert_int_equal(xdp_dedup_fips_absorb(other, PEER, msg, sizeof(msg), 1e-3), 0);
	for (uint64_t n = 0; n < 100; n++)
		assert_true(item_known(other, n));
	xdp_dedup_close(other);
}

LIB_MAIN()
