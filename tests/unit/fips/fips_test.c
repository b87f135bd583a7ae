// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* FIPS: filters and announcements against the vectors, rates against what is counted. */
#include "unit.h"
#include "fips_fixture.h"

#include "fips_count.h"
#include "fips_rate.h"

TEST(positions_match_the_vectors)
{
	json_object *rows = vectors("positions");

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		json_object *row = json_object_array_get_idx(rows, i), *at = member(row, "at");
		struct fips_item item = item_from_hex(text(row, "item"));
		uint32_t k = json_object_array_length(at), size_class = 0;
		struct fips_filter f, expected;
		struct dedup_positions p;

		while (FIPS_BITS(size_class) != vector_number(row, "bits"))
			size_class++;
		f = expected = empty_filter(k, size_class);
		fips_locate(&p, &item, k, size_class);
		for (uint32_t j = 0; j < k; j++) {
			uint32_t bit = json_object_get_int(json_object_array_get_idx(at, j));

			assert_int_equal(p.index[j], bit);
			((uint8_t *)expected.word)[bit >> 3] |= 1 << (bit & 7);
		}
		assert_false(fips_test(&f, &item));
		fips_insert(&f, &item);
		assert_true(fips_equal(&f, &expected));
	}
}

TEST(parameters_out_of_range_are_refused)
{
	struct fips_filter f = filter_with(0, 9), before = f;

	assert_int_equal(fips_init(&f, 0, 1), -EINVAL);
	assert_int_equal(fips_init(&f, DEDUP_HASHES_MAX + 1, 1), -EINVAL);
	assert_int_equal(fips_init(&f, 5, FIPS_SIZE_CLASS_MAX + 1), -EINVAL);
	assert_memory_equal(&f, &before, sizeof(f));
}

/* Of all sizes and numbers of hashes; and what was not inserted is found as often as the
 * filter's fill says.
 */
TEST(nothing_inserted_is_denied)
{
	for (uint32_t k = 1; k <= DEDUP_HASHES_MAX; k++) {
		for (uint32_t c = 0; c <= FIPS_SIZE_CLASS_MAX; c++) {
			uint32_t items = FIPS_BITS(c) / k / 2, found = 0;
			struct fips_filter f = empty_filter(k, c);

			assert_int_equal(fips_set_bits(&f), 0);
			insert_items(&f, 0, items);
			for (uint32_t i = 0; i < items + 500; i++) {
				struct fips_item item = nth_item(i);

				if (i < items)
					assert_true(fips_test(&f, &item));
				else
					found += fips_test(&f, &item);
			}
			assert_true(fabs(found - 500 * fips_fpr(&f)) <=
				    5 * sqrt(500 * fips_fpr(&f)) + 3);
		}
	}
}

TEST(every_bit_and_parameter_counts)
{
	struct fips_filter f = filter_with(0, 300), g;

	for (uint32_t bit = 0; bit < FIPS_BITS(FIPS_SIZE_CLASS_MAX); bit++) {
		g = f;
		g.word[bit / 64] ^= 1ULL << bit % 64;
		assert_int_equal(fips_equal(&f, &g), bit >= V1_BITS);
		assert_int_equal(fips_set_bits(&f) == fips_set_bits(&g), bit >= V1_BITS);
	}
	for (uint32_t bits = 0; bits <= V1_BITS; bits++) {
		g = filter_with_bits(bits);
		assert_int_equal(fips_set_bits(&g), bits);
	}
	g = f;
	g.hash_count++;
	assert_false(fips_equal(&f, &g));
	g = f;
	g.size_class--;
	assert_false(fips_equal(&f, &g) || fips_equal(&g, &f));
}

TEST(announcement_matches_the_vector)
{
	json_object *v = vectors("announce");
	struct fips_filter f = filter_from(member(v, "items"), vector_number(v, "size_class")),
			   decoded;
	uint64_t sequence = json_object_get_uint64(member(v, "sequence")), got;
	uint8_t expected[1035], msg[1036] = { [1035] = 0x5a };

	assert_int_equal(vector_number(v, "hash_count"), f.hash_count);
	assert_int_equal(from_hex(text(v, "hex"), expected, sizeof(expected)), 1035);
	assert_int_equal(fips_encode(&f, sequence, msg, sizeof(msg)), 1035);
	assert_memory_equal(msg, expected, 1035);
	assert_int_equal(msg[1035], 0x5a);
	assert_int_equal(fips_decode(msg, 1035, &decoded, &got), FIPS_ACCEPTED);
	assert_true(fips_equal(&decoded, &f));
	assert_int_equal(got, sequence);
}

TEST(encode_refuses_other_classes_and_small_buffers)
{
	uint8_t msg[4107] = { 0 };

	for (uint32_t c = 0; c <= FIPS_SIZE_CLASS_MAX; c++) {
		struct fips_filter f = empty_filter(5, c);

		assert_int_equal(fips_encode(&f, 1, msg, 1034), c == 1 ? -ENOSPC : -EINVAL);
		assert_int_equal(msg[0], 0);
		if (c != 1)
			assert_int_equal(fips_encode(&f, 1, msg, sizeof(msg)), -EINVAL);
	}
}

/* Decodes a copy that ends where it ends; what is refused must leave no trace, what is
 * not must come out as it went in.
 */
static enum fips_refusal decode(const uint8_t *msg, size_t len)
{
	struct fips_filter f = filter_with(0, 9), before = f;
	uint8_t *copy = len ? malloc(len) : NULL, again[FIPS_V1_MSG_BYTES];
	uint64_t sequence = 42;
	enum fips_refusal why;

	if (copy)
		memcpy(copy, msg, len);
	why = fips_decode(copy, len, &f, &sequence);
	free(copy);
	if (why) {
		assert_memory_equal(&f, &before, sizeof(f));
		assert_int_equal(sequence, 42);
	} else {
		assert_int_equal(fips_encode(&f, sequence, again, sizeof(again)), len);
		assert_memory_equal(again, msg, len);
	}
	return why;
}

TEST(rejected_vectors_are_refused_for_their_reason)
{
	static const struct {
		const char *why;
		enum fips_refusal refusal;
	} REASONS[] = {
		{ "size_class 0", FIPS_REFUSED_size_class },
		{ "size_class 2", FIPS_REFUSED_size_class },
		{ "size_class 4", FIPS_REFUSED_size_class },
		{ "hash_count 0", FIPS_REFUSED_hash_count },
		{ "one byte short", FIPS_REFUSED_too_short },
		{ "one byte long", FIPS_REFUSED_too_long },
		{ "wrong type", FIPS_REFUSED_type },
		{ "header only", FIPS_REFUSED_header },
		{ "empty", FIPS_REFUSED_empty },
	};
	json_object *rows = vectors("rejected");
	uint8_t msg[4107];

	assert_int_equal(json_object_array_length(rows), ARRAY_SIZE(REASONS));
	for (size_t i = 0; i < ARRAY_SIZE(REASONS); i++) {
		json_object *row = json_object_array_get_idx(rows, i);
		size_t len = from_hex(text(row, "hex"), msg, sizeof(msg));

		assert_string_equal(text(row, "why"), REASONS[i].why);
		assert_int_equal(decode(msg, len), REASONS[i].refusal);
	}
}

/* Every length, every value of every byte of the header that has a meaning. */
TEST(announcements_are_taken_or_refused)
{
	uint8_t msg[1100] = { [9] = 5, [10] = 1 };

	for (size_t i = 1; i < sizeof(msg); i++)
		msg[i] = i == 9 ? 5 : i == 10 ? 1 : i * 7;
	for (int byte = 0; byte < 256; byte++) {
		msg[0] = byte;
		assert_int_equal(decode(msg, 1035), byte == 0x20 ? 0 : FIPS_REFUSED_type);
	}
	msg[0] = 0x20;
	for (int byte = 0; byte < 256; byte++) {
		bool legal = byte >= 1 && byte <= 32;

		msg[9] = byte;
		assert_int_equal(decode(msg, 1035), legal ? 0 : FIPS_REFUSED_hash_count);
		msg[9] = 5;
		msg[10] = byte;
		assert_int_equal(decode(msg, 1035), byte == 1 ? 0 : FIPS_REFUSED_size_class);
		msg[10] = 1;
	}
	for (size_t len = 0; len <= sizeof(msg); len++)
		assert_int_equal(decode(msg, len), len == 0	 ? FIPS_REFUSED_empty
						   : len <= 11	 ? FIPS_REFUSED_header
						   : len < 1035	 ? FIPS_REFUSED_too_short
						   : len == 1035 ? FIPS_ACCEPTED
								 : FIPS_REFUSED_too_long);
}

/* The chance that all of an item's bits are set: every start and every step, counted. The
 * rest of h1 and h2 says nothing, m being a power of 2.
 */
static double counted_rate(const struct fips_filter *f)
{
	uint32_t m = FIPS_BITS(f->size_class), found = 0;

	for (uint32_t start = 0; start < m; start++)
		for (uint32_t step = 0; step < m; step++) {
			uint32_t i = 0;

			while (i < f->hash_count && dedup_bits_test(f->word, (start + i * step) % m))
				i++;
			found += i == f->hash_count;
		}
	return (double)found / m / m;
}

/* The rate of this very filter, where fill^k is several times too low: what a node tells a peer,
 * and what it believes of a peer's filter.
 */
TEST(rate_is_that_of_double_hashing)
{
	static const uint32_t ROWS[][2] = { /* k, items */
					    { 2, 100 }, { 5, 10 },   { 5, 50 },
					    { 5, 200 }, { 5, 500 },  { 8, 40 },
					    { 12, 60 }, { 20, 100 }, { 32, 10 }
	};

	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		/* Chosen bits too are counted as they are. */
		struct fips_filter every_8th = empty_filter(ROWS[i][0], 0);
		double counted = 0, squares = 0, computed = 0, error;

		for (uint64_t set = 0; set < 8; set++) {
			struct fips_filter f = empty_filter(ROWS[i][0], 0);
			double rate;

			insert_items(&f, set << 32, (set << 32) + ROWS[i][1]);
			rate = counted_rate(&f);
			assert_true(fips_counted_rate(f.word, FIPS_BITS(0), ROWS[i][0]) == rate);
			counted += rate / 8;
			squares += rate * rate / 8;
			computed += fips_fpr(&f) / 8;
		}
		for (uint32_t bit = 0; bit < FIPS_BITS(0); bit += 8)
			dedup_bits_set(every_8th.word, bit);
		assert_true(fips_counted_rate(every_8th.word, FIPS_BITS(0), ROWS[i][0]) ==
			    counted_rate(&every_8th));
		error = sqrt(fmax(0, squares - counted * counted) / 7);
		if (!(counted <= computed + 3 * error && counted >= 0.9 * computed - 3 * error))
			fail_msg("k %u, %u items: counted %g +- %g, computed %g", ROWS[i][0],
				 ROWS[i][1], counted, error, computed);
	}
}

static struct fips_filter some_bits(uint32_t bits, uint32_t k, uint32_t size_class)
{
	struct fips_filter f = empty_filter(k, size_class);

	for (uint32_t i = 0; i < bits; i++)
		dedup_bits_set(f.word, i);
	return f;
}

/* The cap keeps the rate, and one bit more would not. */
TEST(cap_is_exact)
{
	for (uint32_t c = 0; c <= FIPS_SIZE_CLASS_MAX; c++) {
		uint32_t m = FIPS_BITS(c);

		for (uint32_t k = 1; k <= DEDUP_HASHES_MAX; k++) {
			for (double fpr = 1e-9; fpr < 1; fpr *= 1.7) {
				uint32_t cap = fips_cap_bits(fpr, c, k);
				struct fips_filter most = some_bits(cap, k, c);
				struct fips_filter more = some_bits(cap + 1, k, c);

				assert_true(cap < m);
				assert_true(fips_fpr(&most) <= fpr);
				assert_true(fips_fpr(&more) > fpr);
			}
			assert_int_equal(fips_cap_bits(1 / 1024.0, c, 1), m / 1024);
			assert_int_equal(fips_cap_bits(0, c, k), 0);
			assert_int_equal(fips_cap_bits(-1, c, k), 0);
			assert_int_equal(fips_cap_bits(NAN, c, k), 0);
			assert_int_equal(fips_cap_bits(1, c, k), m);
			assert_int_equal(fips_cap_bits(INFINITY, c, k), m);
		}
	}
	/* Independent positions would allow for 1,298 bits at 1e-4 and for 516 at 1e-6. */
	assert_in_range(fips_cap_bits(1e-4, 1, 5), 1000, 1298 - 30);
	assert_in_range(fips_cap_bits(1e-6, 1, 5), 1, 60);
}

UNIT_MAIN()
