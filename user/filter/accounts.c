// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "accounts.h"

#include <string.h>

#include "account_note.h"
#include "kept.h"
#include "source_table.h"

#define TRIES 1000
#define ROWS_READ_MAX 65536 /* of an account, in all tries: a longer trace gets fewer tries */

/* An account: a copy of its head, as it was at one moment, and its trace, which packets change. */
struct account {
	const struct dedup_recovery *recovery;
	uint32_t paths;
	union {
		struct dedup_account head;
		uint64_t word[DEDUP_ACCOUNT_PATHS + DEDUP_PATHS_MAX * DEDUP_PATH_WORDS];
	};
	const uint64_t *trace;
};

/* A row of the trace. */
struct row {
	uint64_t lap;
	uint64_t newest; /* the lap that it would have if its last number had arrived */
	uint64_t start;	 /* its first number in that lap */
	const uint64_t *word;
};

static uint64_t path_word(const struct account *a, uint32_t path, uint32_t field)
{
	return a->word[dedup_path_word(path, field)];
}

/* Copies the head, which is before the trace. The copy is of one moment, unless packets come
 * without a pause.
 */
static void copy_head(const uint64_t *from, struct account *a)
{
	uint32_t cnt = dedup_path_word(a->paths, 0);

	for (int i = 0; i < TRIES; i++) {
		uint64_t version = __atomic_load_n(&from[0], __ATOMIC_ACQUIRE);

		for (uint32_t w = 0; w < cnt; w++)
			a->word[w] = READ_ONCE(from[w]);
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(version & 1) && READ_ONCE(from[0]) == version)
			return;
	}
}

static uint32_t rows_cnt(const struct account *a)
{
	return (1U << a->recovery->ring_shift) / DEDUP_WORD_NUMBERS;
}

static struct row row_at(const struct account *a, uint32_t i)
{
	uint64_t high = a->head.high / DEDUP_WORD_NUMBERS,
		 word = high - ((high - i) & (rows_cnt(a) - 1));
	const uint64_t *row = &a->trace[(uint64_t)i * dedup_row_words(a->paths)];

	return (struct row){
		.lap = READ_ONCE(row[DEDUP_ROW_ALL]) >> 32,
		.newest = word / rows_cnt(a),
		.start = word * DEDUP_WORD_NUMBERS,
		.word = row,
	};
}

/* Returns the first number of the history. */
static uint64_t history_start(const struct account *a)
{
	uint64_t high = a->head.high / DEDUP_WORD_NUMBERS, rows = rows_cnt(a),
		 oldest = high < rows ? 0 : (high - rows + 1) * DEDUP_WORD_NUMBERS;

	return oldest > a->head.first ? oldest : a->head.first;
}

/* Which of the numbers from `first` to `last` all paths together, or one path, have brought. */
struct sum {
	uint64_t first;	  /* in the present numbering */
	uint64_t last;	  /* only numbers up to this one count as missing */
	uint64_t before;  /* how many numbers have left the history */
	uint64_t left;	  /* how many of these had arrived */
	uint64_t missing; /* how many in the history have not arrived */
	uint64_t lacking; /* how many of the missing ones other paths have brought */
};

/* Adds a row. bits: the numbers of the row that have arrived. */
static void add_row(const struct account *a, const struct row *row, uint32_t bits, struct sum *s)
{
	uint32_t in_history = dedup_bits_from(a->head.first, row->start) &
			      dedup_bits_from(s->first, row->start) &
			      ~dedup_bits_from(s->last + 1, row->start);

	if (row->lap == row->newest) {
		uint32_t all = (uint32_t)READ_ONCE(row->word[DEDUP_ROW_ALL]);

		s->missing += __builtin_popcount(in_history & ~bits);
		s->lacking += __builtin_popcount(in_history & ~bits & all);
	}
	if (row->lap >= row->newest) /* a later lap began after copy_head() */
		return;
	s->missing += __builtin_popcount(in_history);
	if (row->lap >= dedup_account_lap(a->head.numbering))
		s->left += __builtin_popcount(bits);
}

static struct sum sum_begin(const struct account *a, uint64_t joined, uint64_t last, uint64_t left)
{
	uint64_t until = a->head.before + history_start(a) - a->head.first;

	return (struct sum){
		.first = a->head.first + joined - a->head.before,
		.last = last,
		.before = until > joined ? until - joined : 0,
		.left = left,
	};
}

/* Adds the rows of the trace to *all, and to of[] of each path. */
static void add_trace(const struct account *a, struct sum *all, struct sum *of)
{
	for (uint32_t i = 0; i < rows_cnt(a); i++) {
		struct row row = row_at(a, i);

		add_row(a, &row, (uint32_t)READ_ONCE(row.word[DEDUP_ROW_ALL]), all);
		for (uint32_t p = 0; p < a->paths; p++)
			add_row(a, &row,
				dedup_path_bits(READ_ONCE(row.word[DEDUP_ROW_BITS + p / 2]), p),
				&of[p]);
	}
}

static uint64_t sum_lost(const struct sum *s)
{
	return s->before > s->left ? s->before - s->left : 0;
}

static void read_path(const struct filter *f, const struct account *a, uint32_t path,
		      const struct sum *sum, struct path_figures *out)
{
	uint64_t key = a->word[DEDUP_ACCOUNT_KEYS + path], until = a->head.before + a->head.high + 1;

	*out = (struct path_figures){
		.stream = kept_of_slot(f->config, (uint32_t)(key >> 32) - 1),
		.ifindex = (uint32_t)key,
	};
	memcpy(&out->counted, &a->word[dedup_path_word(path, 0)], sizeof(out->counted));
	if (!out->counted.joined)
		return;
	out->messages = until - a->head.first - out->counted.joined;
	out->lost = sum_lost(sum);
	out->missing = sum->missing;
	out->lacking = sum->lacking;
	out->behind = a->head.high -
		      (out->counted.high < a->head.first ? a->head.first - 1 : out->counted.high);
}

void accounts_judge_paths(const struct filter *f, struct source_figures *s)
{
	uint64_t last = 0;

	for (uint32_t p = 0; p < s->paths_cnt; p++)
		if (s->paths[p].counted.last > last)
			last = s->paths[p].counted.last;
	s->redundant = s->paths_cnt > 1;
	for (uint32_t p = 0; p < s->paths_cnt; p++) {
		s->paths[p].silent =
			last - s->paths[p].counted.last > f->config->sources.idle_jiffies;
		s->redundant &= !s->paths[p].silent && !s->paths[p].lacking;
	}
}

/* Sums of an account: of all paths together, and of each path. */
struct sums {
	struct sum all, of[DEDUP_PATHS_MAX];
};

static void add_sums(const struct account *a, struct sums *s)
{
	s->all = sum_begin(a, 1, a->head.high, a->head.left);
	for (uint32_t p = 0; p < a->paths; p++)
		s->of[p] = sum_begin(a, path_word(a, p, DEDUP_PATH(joined)),
				     path_word(a, p, DEDUP_PATH(high)),
				     a->word[DEDUP_ACCOUNT_LEFT + p]);
	add_trace(a, &s->all, s->of);
}

/* Reads the head and the sums of an account. Packets may begin a new lap in a row after
 * copy_head(): the row's numbers are then in the new head.left, but not in the copy, and would seem
 * to be lost. So this tries again if head.left has changed. If packets come too fast for that, all
 * numbers that have left the history since count as arrived: `lost` may be too low, but never too
 * high.
 */
static void read_sums(const uint64_t *words, struct account *a, struct sums *s)
{
	struct account after = *a;

	copy_head(words, &after);
	for (uint32_t rows = 0; rows < ROWS_READ_MAX; rows += rows_cnt(a)) {
		*a = after;
		add_sums(a, s);
		copy_head(words, &after);
		if (after.head.left == a->head.left)
			return;
	}
	s->all.left += after.head.left - a->head.left;
	for (uint32_t p = 0; p < a->paths; p++)
		s->of[p].left += after.word[DEDUP_ACCOUNT_LEFT + p] - a->word[DEDUP_ACCOUNT_LEFT + p];
}

/* Returns the sender's number for this extended number of the account. */
static uint64_t number_of(const struct account *a, uint64_t extended)
{
	uint64_t ahead = a->head.numbering >> DEDUP_ACCOUNT_AHEAD;

	return dedup_number(a->recovery, extended + (ahead << a->recovery->ring_shift));
}

static void read_account(const struct filter *f, const struct account *a, const struct sums *s,
			 struct source_figures *out)
{
	out->messages = a->head.before + a->head.high - a->head.first;
	out->lost = sum_lost(&s->all);
	out->missing = s->all.missing;
	out->restarts = (uint32_t)a->head.restarts;
	out->others = a->head.others;
	out->jumped = a->head.jumped;
	out->since_ns = a->head.since_ns;
	out->is_first_numbering = a->head.before == 1;
	out->begin = number_of(a, a->head.first);
	out->high = number_of(a, a->head.high);
	for (uint32_t p = 0; p < a->paths && a->word[DEDUP_ACCOUNT_KEYS + p]; p++)
		read_path(f, a, p, &s->of[p], &out->paths[out->paths_cnt++]);
	accounts_judge_paths(f, out);
}

/* Returns the first stream of the source's realm; -1 if the filter has no stream of this realm. */
static int stream_of_source(const struct filter *f, const struct dedup_slot *s)
{
	const struct dedup_policy *p = &f->config->policy;
	uint64_t realm = READ_ONCE(s->key[DEDUP_SOURCE_WORDS]) - READ_ONCE(f->state->sources_era);

	for (uint32_t n = 0; n < p->streams_cnt; n++)
		if (f->config->numbered[n].width && p->streams[n].realm_key == realm)
			return (int)n;
	return -1;
}

bool accounts_read_part(const struct filter *f, uint32_t source, struct source_figures *out)
{
	const struct dedup_sources *t = &f->config->sources;
	const struct dedup_block *at = &f->blocks[dedup_slot_block(t, source)];
	const struct dedup_slot *slot = (const struct dedup_slot *)at;
	const uint64_t *words = (const uint64_t *)(at + t->account);
	struct account a = { .paths = t->paths };
	struct sums sums;
	int n;

	if (!t->paths || READ_ONCE(at[DEDUP_SLOT_ABOUT].word[DEDUP_SLOT_STATE]) != DEDUP_SLOT_IN_USE)
		return false;
	n = stream_of_source(f, slot);
	if (n < 0)
		return false;
	a.recovery = &f->config->numbered[n].recovery;
	a.trace = words + dedup_path_word(a.paths, 0);
	read_sums(words, &a, &sums);
	if (!a.head.numbering)
		return false;
	*out = (struct source_figures){
		.source = source,
		.stream = n,
		.words = f->config->policy.streams[n].words - 1,
		.partial = f->config->numbered[n].partial,
	};
	for (uint32_t i = 0; i < DEDUP_SOURCE_WORDS; i++)
		out->id.word[i] = READ_ONCE(slot->key[i]);
	read_account(f, &a, &sums, out);
	return true;
}

uint64_t accounts_skew_ns(int bucket)
{
	return bucket < DEDUP_SKEWS - 1 ? 1000ULL << bucket : UINT64_MAX;
}

uint64_t accounts_skew_quantile(const struct dedup_path *path, double part)
{
	uint64_t cnt = 0, below = 0;

	for (int i = 0; i < DEDUP_SKEWS; i++)
		cnt += path->skew[i];
	for (int i = 0; i < DEDUP_SKEWS && cnt; i++) {
		below += path->skew[i];
		if (below >= part * cnt)
			return accounts_skew_ns(i);
	}
	return 0;
}
