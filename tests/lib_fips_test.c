// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* FIPS messages by libxdp-dedup: what peers announce becomes known to the filter, and what
 * the filter knows is announced.
 */
#include "lib_bed.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "fips_bed.h"
#include "fips_rate.h"

static void load_fips(const char *name, const char *link, uint32_t m)
{
	bed_tool("load %s --name %s --port %d --layout flat --hash fips --hashes 5 --bits %u "
		 "--capacity 500 --fpr 0.01",
		 link, name, GOSSIP_PORT, m);
}

static void take_fips(uint32_t m)
{
	lib_let_go();
	bed_tool("unload --all");
	load_fips(LIB_NAME, "ve0", m);
	lib_take(LIB_NAME);
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

static void encode(const struct fips_filter *f, uint8_t msg[FIPS_V1_MSG_BYTES])
{
	assert_int_equal(fips_encode(f, 1, msg, FIPS_V1_MSG_BYTES), FIPS_V1_MSG_BYTES);
}

static int absorb(const struct fips_filter *f, double fpr_max)
{
	uint8_t msg[FIPS_V1_MSG_BYTES];

	encode(f, msg);
	return xdp_dedup_fips_absorb(lib.f, msg, sizeof(msg), fpr_max);
}

static const struct fips_row {
	const char *name;
	uint32_t m;
} FIPS_SIZES[] = {
	{ "fips-m-64", 64 },
	{ "fips-m-4096", 4096 },
	{ "fips-m-8192", 8192 },
	{ "fips-m-32768", 32768 },
};

/* The vector's message, then the items of it and of another one are duplicates. */
static void absorb_row(void **state)
{
	const struct fips_row *row = *state;
	json_object *vector = vectors("announce"), *items = member(vector, "items");
	struct fips_filter more = filter_with(0, 100);
	uint8_t msg[FIPS_V1_MSG_BYTES];
	uint64_t learned;

	lib_setup_none(state);
	take_fips(row->m);
	learned = lib.raw.state->learned;
	assert_int_equal(from_hex(text(vector, "hex"), msg, sizeof(msg)), sizeof(msg));
	assert_int_equal(xdp_dedup_fips_absorb(lib.f, msg, sizeof(msg), 1e-9), 0);
	assert_int_equal(lib.raw.state->learned, learned + 4); /* 3.003 by its bits */
	assert_int_equal(lib_stats().set_bits,
			 row->m < 4096 ? lib_stats().set_bits
				       : 15 * row->m / (row->m < 8192 ? row->m : 8192));
	for (size_t i = 0; i < json_object_array_length(items); i++) {
		const char *hex = json_object_get_string(json_object_array_get_idx(items, i));
		struct fips_item item = item_from_hex(hex);
		struct id id = id_of(&item);

		assert_int_equal(xdp_dedup_test(lib.f, item.byte, sizeof(item)), 1);
		assert_true(lib_packet_dropped(&id));
	}
	if (row->m < 4096)
		return; /* there is no room for more */
	for (int n = 0; n < 100; n++)
		assert_false(item_dropped(1000 + n));
	assert_int_equal(absorb(&more, 1e-2), 0);
	for (int n = 0; n < 100; n++)
		assert_true(item_dropped(n));
}

static void absorb_refuses_what_is_malformed(void **state)
{
	json_object *rows = vectors("rejected");
	struct fips_filter other = empty_filter(4, FIPS_V1_SIZE_CLASS);
	uint8_t msg[4200], good[FIPS_V1_MSG_BYTES];

	(void)state;
	take_fips(8192);
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		json_object *row = json_object_array_get_idx(rows, i);
		size_t len = from_hex(text(row, "hex"), msg, sizeof(msg));

		assert_int_equal(xdp_dedup_fips_absorb(lib.f, msg, len, 1), -EBADMSG);
	}
	insert_items(&other, 0, 10);
	assert_int_equal(absorb(&other, 1), -EBADMSG);
	other = filter_with(0, 10);
	encode(&other, good);
	for (size_t len = 0; len < sizeof(good); len += len < 16 ? 1 : 97)
		assert_int_equal(xdp_dedup_fips_absorb(lib.f, good, len, 1), -EBADMSG);
	assert_int_equal(lib_stats().set_bits, 0);
	assert_int_equal(lib.raw.state->learned, 0);
}

static void absorb_refuses_what_is_too_full(void **state)
{
	static const uint32_t BITS[] = { 15, 1000, 2000, V1_BITS };
	struct fips_filter full;

	(void)state;
	take_fips(32768);
	for (size_t i = 0; i < ARRAY_SIZE(BITS); i++) {
		struct fips_filter f = filter_with_bits(BITS[i]);
		double fpr = pow(BITS[i] / (double)V1_BITS, 5);

		assert_int_equal(absorb(&f, fpr * (1 - 1e-9)), -EDOM);
		assert_int_equal(absorb(&f, 0), -EDOM);
		assert_int_equal(absorb(&f, NAN), -EDOM);
		assert_int_equal(absorb(&f, -1), -EDOM);
	}
	/* One that says nothing is not believed at any rate. */
	full = filter_with_bits(V1_BITS);
	assert_int_equal(absorb(&full, 1), -EDOM);
	assert_int_equal(absorb(&full, INFINITY), -EDOM);
	assert_int_equal(lib_stats().set_bits, 0);
	for (size_t i = 0; i < 2; i++) {
		struct fips_filter f = filter_with_bits(BITS[i]);

		assert_int_equal(absorb(&f, fips_fpr(&f)), 0);
		assert_int_equal(lib_stats().set_bits, BITS[i] * 4);
	}
}

/* As many as its bits say, and not one more. */
static void absorb_needs_room(void **state)
{
	struct fips_filter f = filter_with(0, 100);
	struct dedup_state *st;
	uint32_t ids;

	(void)state;
	take_fips(8192);
	lib_freeze();
	st = lib.raw.state;
	ids = ceil(-(V1_BITS / 5.0) * log1p(-(fips_set_bits(&f) / (double)V1_BITS)));
	assert_in_range(ids, 98, 103);
	st->limit = st->learned + ids - 1;
	assert_int_equal(absorb(&f, 1), -ENOSPC);
	st->limit = st->learned;
	assert_int_equal(absorb(&f, 1), -ENOSPC);
	st->learned = st->limit + 5; /* threads may go so far */
	assert_int_equal(absorb(&f, 1), -ENOSPC);
	assert_int_equal(lib_stats().set_bits, 0);
	assert_int_equal(st->learned, st->limit + 5);
	st->limit = st->learned + ids;
	assert_int_equal(absorb(&f, 1), 0);
	assert_int_equal(st->learned, st->limit);
	assert_int_equal(lib_stats().set_bits, fips_set_bits(&f));
}

static void fips_is_for_its_own_layout(void **state)
{
	static const char *const OPTIONS[] = {
		"",
		"--layout flat --hash siphash --bits 8192 --hashes 5",
		"--layout countdown --hash fips",
		"--layout flat --hash fips --bits 1000",
		"--layout flat --hash fips --bits 32",
		"--layout flat --hash fips --bits 8256"
	};
	struct fips_filter f = filter_with(0, 3);
	uint8_t msg[FIPS_V1_MSG_BYTES];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(OPTIONS); i++) {
		lib_load(OPTIONS[i]);
		assert_int_equal(absorb(&f, 1), -EOPNOTSUPP);
		assert_int_equal(xdp_dedup_fips_absorb(lib.f, msg, 0, 1), -EOPNOTSUPP);
		assert_int_equal(xdp_dedup_fips_announce(lib.f, 1, msg, sizeof(msg)), -EOPNOTSUPP);
		assert_int_equal(lib_stats().set_bits, 0);
	}
}

static void absorb_is_stale(void **state)
{
	struct fips_filter f = filter_with(0, 3);

	(void)state;
	lib_load("--layout flat --hash fips --hashes 5 --window 5s");
	assert_int_equal(absorb(&f, 1), 0);
	bed_tool("unload ve0");
	for (int ms = 0; !lib_stats().stopped && ms < PATIENCE_MS; ms++)
		usleep(1000);
	assert_int_equal(absorb(&f, 1), -ESTALE);
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
	if (lib.raw.config->m >= V1_BITS)
		assert_true(fips_equal(&f, &direct));
	for (uint32_t i = 0, words = lib.raw.config->m / 64; i + words < V1_BITS / 64; i++)
		assert_true(f.word[i] == f.word[i + words]);
}

/* Items that came as packets, and by the application; of both generations. */
static void announce_row(void **state)
{
	const struct fips_row *row = *state;

	lib_setup_none(state);
	take_fips(row->m);
	assert_announced(0, 0);
	for (uint64_t n = 0; n < 50; n++)
		assert_false(item_dropped(n));
	assert_announced(0, 50);
	bed_tool("rotate " LIB_NAME);
	for (uint64_t n = 50; n < 100; n++) {
		struct fips_item item = nth_item(n);

		assert_int_equal(xdp_dedup_check_and_add(lib.f, item.byte, sizeof(item)), 0);
	}
	assert_announced(0, 100);
	bed_tool("rotate " LIB_NAME);
	assert_announced(50, 100);
	lib_freeze();
	lib.raw.state->hand |= 1; /* the older array is being cleared */
	assert_announced(0, 0);
	bed_tool("unload --all");
}

/* What one filter announces is known to another one. */
static void announce_and_absorb(void **state)
{
	struct xdp_dedup_filter *other;
	uint8_t msg[FIPS_V1_MSG_BYTES];

	(void)state;
	take_fips(32768);
	for (uint64_t n = 0; n < 100; n++)
		assert_false(item_dropped(n));
	load_fips("lib2", "ve1", 4096);
	assert_int_equal(xdp_dedup_fips_announce(lib.f, 1, msg, sizeof(msg)), sizeof(msg));
	assert_int_equal(xdp_dedup_open("lib2", &other), 0);
	assert_int_equal(xdp_dedup_fips_absorb(other, msg, sizeof(msg), 1e-3), 0);
	for (uint64_t n = 0; n < 100; n++) {
		struct fips_item item = nth_item(n);

		assert_int_equal(xdp_dedup_test(other, item.byte, sizeof(item)), 1);
	}
	xdp_dedup_close(other);
}

#define OWN(f) cmocka_unit_test_setup(f, lib_setup_none)
static const struct CMUnitTest TESTS[] = {
	OWN(absorb_refuses_what_is_malformed),
	OWN(absorb_refuses_what_is_too_full),
	OWN(absorb_needs_room),
	OWN(absorb_is_stale),
	OWN(fips_is_for_its_own_layout),
	OWN(announce_and_absorb),
};

int main(void)
{
	add_tests(TESTS, ARRAY_SIZE(TESTS));
	for (size_t i = 0; i < ARRAY_SIZE(FIPS_SIZES); i++)
		lib_add_row("absorb-", FIPS_SIZES[i].name, absorb_row, NULL, &FIPS_SIZES[i]);
	for (size_t i = 1; i < ARRAY_SIZE(FIPS_SIZES); i++)
		lib_add_row("announce-", FIPS_SIZES[i].name, announce_row, NULL, &FIPS_SIZES[i]);
	return lib_run_tests("lib_fips");
}
