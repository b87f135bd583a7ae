// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ids that are learned at one time in one half of a block of layout `blocked`, in every order in
 * which CPUs can read and write it: of copies one is new, unless other ids take all bits that these
 * lack of a word. Each row is a race of two or three CPUs, with an id each. interleave.h tries the
 * orders.
 *
 * Environment: SEED, CASES of any_race.
 */
#include "interleave.h"

#include "block.h"

#define BITS 4 /* of a word that ids use: few, so that they share some */

/* An id's bits: a mask for each of its words, and which word of the half that is. */
struct probe {
	uint8_t at[DEDUP_HALF_WORDS], mask[DEDUP_HALF_WORDS];
};

/* A row as people write it. */
struct text_row {
	const char *name;
	uint32_t words;
	uint8_t before[DEDUP_HALF_WORDS];
	const char *ids; /* each WORD:MASK,WORD:MASK..., with blanks between */
};

struct row {
	const char *name;
	uint32_t words;
	uint8_t before[DEDUP_HALF_WORDS]; /* the half before the race */
	struct probe ids[CPUS_MAX];
	int cpus_cnt;
};

static const struct row *race;
static bool results[CPUS_MAX]; /* new? */

static struct dedup_probe probe_of(int cpu)
{
	struct dedup_probe p = { 0 };

	for (uint32_t i = 0; i < race->words; i++) {
		p.offset[i] = 8 * race->ids[cpu].at[i];
		p.mask[i] = race->ids[cpu].mask[i];
	}
	/* A second word without bits, as dedup_probe_masks() makes it. */
	if (race->words == 1)
		p.offset[1] = (p.offset[0] + 8) % 32;
	return p;
}

static void make_call(int cpu)
{
	struct dedup_probe p = probe_of(cpu);

	results[cpu] = dedup_half_learn(shared[0].half[0], &p, race->words);
}

static void start(void)
{
	for (int i = 0; i < DEDUP_HALF_WORDS; i++)
		shared[0].word[i] = race->before[i];
}

/* The bits that the CPU's id lacks of its word i when the race begins. */
static uint32_t lacked(int cpu, uint32_t i)
{
	const struct probe *id = &race->ids[cpu];

	return id->mask[i] & ~race->before[id->at[i]];
}

static bool is_known(int cpu)
{
	for (uint32_t i = 0; i < race->words; i++)
		if (lacked(cpu, i))
			return false;
	return true;
}

static bool are_copies(int a, int b)
{
	return !memcmp(&race->ids[a], &race->ids[b], sizeof(race->ids[a]));
}

/* Do other ids have all bits that this one lacks of its word i? */
static bool may_be_taken(int cpu, uint32_t i)
{
	uint32_t bits = lacked(cpu, i);

	for (int other = 0; other < race->cpus_cnt; other++)
		for (uint32_t j = 0; !are_copies(cpu, other) && j < race->words; j++)
			if (race->ids[other].at[j] == race->ids[cpu].at[i])
				bits &= ~race->ids[other].mask[j];
	return !bits;
}

/* Another id that takes all bits which this one lacks of a word makes it seem to be known. */
static bool may_seem_known(int cpu)
{
	uint32_t i = 0;

	while (!lacked(cpu, i))
		i++;
	return may_be_taken(cpu, i);
}

static void fail_order(int cpu, const char *what)
{
	char ids[200] = "";

	for (int i = 0, n = 0; i < race->cpus_cnt; i++)
		for (uint32_t j = 0; j < race->words; j++)
			n += snprintf(ids + n, sizeof(ids) - n, " %c%u:%#x", 'a' + i,
				      race->ids[i].at[j], race->ids[i].mask[j]);
	fail_msg("%s: %s of CPU %c's id, in the order %s; new: %d %d %d; before %#x %#x %#x %#x, ids%s",
		 race->name, what, 'a' + cpu, order, results[0], results[1], results[2],
		 race->before[0], race->before[1], race->before[2], race->before[3], ids);
}

static void check_copies_of(int i)
{
	int new = 0;

	for (int j = 0; j < race->cpus_cnt; j++)
		new += are_copies(i, j) && results[j];
	if (is_known(i) && new)
		fail_order(i, "a known copy is new");
	if (new > 1)
		fail_order(i, "two copies are new");
	if (!is_known(i) && !new && !may_seem_known(i))
		fail_order(i, "no copy is new");
}

static void check_end(void)
{
	for (int i = 0; i < race->cpus_cnt; i++) {
		struct dedup_probe p = probe_of(i);

		check_copies_of(i);
		if (!dedup_block_holds(&shared[0], &p, race->words))
			fail_order(i, "not all bits are set");
	}
}

static unsigned long try_orders(const struct row *r)
{
	reads_early = true;
	race = r;
	cpus_cnt = r->cpus_cnt;
	return try_race(start);
}

static struct row row_of(const struct text_row *t)
{
	struct row r = { .name = t->name, .words = t->words };
	const char *at = t->ids;

	memcpy(r.before, t->before, sizeof(r.before));
	for (bool goes_on = true; goes_on; r.cpus_cnt++) {
		struct probe *id = &r.ids[r.cpus_cnt];
		int len;

		for (uint32_t i = 0; i < r.words; i++, at += len)
			if (sscanf(at, "%hhu:%hhu%n", &id->at[i], &id->mask[i], &len) != 2)
				fail_msg("%s: no word in %s", r.name, at);
			else
				len += at[len] == ',';
		goes_on = *at++ == ' ';
	}
	return r;
}

/* A random id: its words in any order where they are two, and some bits in each. */
static struct probe any_id(uint64_t *seed, uint32_t words)
{
	struct probe id = { 0 };
	uint64_t first = random_next(seed) % DEDUP_HALF_WORDS, step = 1;

	if (words == 4)
		first = 0;
	else
		step = 1 + random_next(seed) % (DEDUP_HALF_WORDS - 1);
	for (uint32_t i = 0; i < words; i++) {
		id.at[i] = (first + i * step) % DEDUP_HALF_WORDS;
		id.mask[i] = 1 + random_next(seed) % ((1 << BITS) - 1);
	}
	return id;
}

static const struct text_row ROWS[] = {
	{ "copies-of-one-word", .words = 1, .ids = "2:3 2:3 2:3" },
	{ "copies", .words = 2, .ids = "0:3,1:3 0:3,1:3" },
	{ "three-copies", .words = 2, .ids = "0:3,1:3 0:3,1:3 0:3,1:3" },
	{ "copies-of-four-words", .words = 4, .ids = "0:3,1:3,2:3,3:3 0:3,1:3,2:3,3:3" },
	{ "copies-whose-first-word-is-full", .words = 4, .ids = "0:3,1:3,2:3,3:3 0:3,1:3,2:3,3:3",
	  .before = { 3 } },
	{ "copies-whose-second-word-is-full", .words = 2, .ids = "0:3,1:3 0:3,1:3",
	  .before = { 0, 3 } },
	{ "copies-that-lack-the-last-word", .words = 4, .ids = "0:3,1:3,2:3,3:3 0:3,1:3,2:3,3:3",
	  .before = { 3, 3, 3 } },
	{ "known", .words = 2, .ids = "0:3,1:3 0:3,1:3", .before = { 3, 3 } },
	{ "another-takes-the-first-word", .words = 2, .ids = "0:3,1:3 0:7,2:3" },
	{ "another-takes-the-second-word", .words = 2, .ids = "0:3,1:3 2:3,1:7" },
	{ "another-of-the-same-words-in-the-other-order", .words = 2, .ids = "0:3,1:3 1:1,0:7" },
	{ "another-of-four-words", .words = 4, .ids = "0:3,1:3,2:3,3:3 0:7,1:1,2:7,3:7" },
	{ "copies-and-another-first", .words = 2, .ids = "0:3,1:3 0:3,1:3 0:7,2:3" },
	{ "copies-and-another-second", .words = 2, .ids = "0:3,1:3 0:3,1:3 1:7,2:3" },
};

TEST_ROWS(orders, ROWS)
{
	struct row r = row_of(row);

	print_message("%s: %lu states\n", r.name, try_orders(&r));
}

TEST(any_race)
{
	uint64_t seed = environment_number("SEED", 1);
	uint64_t cases = environment_number("CASES", tries(300, 2500));

	stops_max = 3; /* all orders have millions of states */
	for (uint64_t n = 0; n < cases; n++) {
		struct row r = { .name = "any", .words = 1U << random_next(&seed) % 3 };

		r.cpus_cnt = 2 + (int)(random_next(&seed) % 2);
		for (int i = 0; i < DEDUP_HALF_WORDS; i++) {
			r.before[i] = random_next(&seed) % (1 << BITS);
			r.before[i] &= random_next(&seed);
		}
		for (int i = 0; i < r.cpus_cnt; i++) {
			r.ids[i] = any_id(&seed, r.words);
			if (i && random_next(&seed) % 2)
				r.ids[i] = r.ids[0];
		}
		try_orders(&r);
	}
	stops_max = 0;
}

UNIT_MAIN()
