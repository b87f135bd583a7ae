// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* If numbers have more than DEDUP_WIDTH_MAX bits, the upper bits belong to the source. When the
 * numbers of a sender cross a multiple of 2^40, the next part of the sender is another source with
 * another account. This file joins the accounts of a sender's parts.
 */
#include <string.h>

#include "accounts.h"
#include "source_table.h"

#define UPPER_BITS (64 - DEDUP_WIDTH_MAX)
#define JUMP_MAX (1ULL << 31) /* numbers that are lost where the parts meet */

/* Reads the part after this one, or with step -1 before it. Returns false if there is none. */
static bool read_part(const struct filter *f, const struct source_figures *s, int step,
		      struct source_figures *ret_part)
{
	const struct dedup_sources *t = &f->config->sources;
	const struct dedup_slot *slot =
		(const struct dedup_slot *)&f->blocks[dedup_slot_block(t, s->source)];
	struct dedup_source_key key = { .words = s->words + 1, .id = s->id };
	uint64_t upper = s->id.word[s->words] + (uint64_t)step;
	struct dedup_found found;

	if (f->config->numbered[s->stream].width <= DEDUP_WIDTH_MAX || upper >> UPPER_BITS)
		return false;
	key.id.word[s->words] = upper;
	key.id.word[DEDUP_SOURCE_WORDS] = READ_ONCE(slot->key[DEDUP_SOURCE_WORDS]);
	key.hash = dedup_source_hash(&key, f->config->secrets.key);
	return dedup_find_source(t, f->blocks, &key, &found) &&
	       accounts_read_part(f, (uint32_t)found.entry - 1, ret_part);
}

/* Returns how many numbers are between two parts; at least JUMP_MAX if the second does not continue
 * the first. If the second has restarted, its beginning is unknown, and the first's end counts.
 */
static uint64_t gap_between(const struct source_figures *first, const struct source_figures *second)
{
	uint64_t gap = (1ULL << DEDUP_WIDTH_MAX) - 1 - first->high;

	if (second->since_ns < first->since_ns)
		return JUMP_MAX;
	return second->is_first_numbering ? gap + second->begin : gap;
}

static void add_counted(struct dedup_path *to, const struct dedup_path *more)
{
	to->packets += more->packets;
	to->received += more->received;
	to->first += more->first;
	to->out_of_order += more->out_of_order;
	to->repeated += more->repeated;
	to->late += more->late;
	to->far += more->far;
	to->unnoted += more->unnoted;
	for (int i = 0; i < DEDUP_SKEWS; i++)
		to->skew[i] += more->skew[i];
	if (more->last > to->last)
		to->last = more->last;
}

/* Adds to a path its figures of the second part. more: NULL if the path has brought nothing of
 * that. is_in_history: numbers of the first part, and of the gap, may still arrive; else they are
 * lost.
 */
static void add_path(struct path_figures *to, const struct path_figures *more, uint64_t gap,
		     uint64_t messages, bool is_in_history)
{
	uint64_t open = to->missing + to->behind + gap;

	to->messages += gap + messages;
	if (more)
		add_counted(&to->counted, &more->counted);
	if (!more || !more->counted.joined) {
		to->behind += gap + messages;
		return;
	}
	open += messages - more->messages;
	to->lost += more->lost + (is_in_history ? 0 : open);
	to->missing = more->missing + (is_in_history ? open : 0);
	to->lacking = more->lacking + (is_in_history ? to->lacking : 0);
	to->behind = more->behind;
}

static const struct path_figures *find_path(const struct source_figures *s,
					    const struct path_figures *like)
{
	for (uint32_t p = 0; p < s->paths_cnt; p++)
		if (s->paths[p].stream == like->stream && s->paths[p].ifindex == like->ifindex)
			return &s->paths[p];
	return NULL;
}

/* Joins the accounts of two parts of a sender. *to: the first part, which becomes both. */
static void join(const struct filter *f, struct source_figures *to,
		 const struct source_figures *second, uint64_t gap)
{
	const struct dedup_recovery *r = &f->config->numbered[to->stream].recovery;
	bool is_in_history = second->messages < dedup_history(r);
	uint64_t open = to->missing + gap;

	for (uint32_t p = 0; p < to->paths_cnt; p++)
		add_path(&to->paths[p], find_path(second, &to->paths[p]), gap, second->messages,
			 is_in_history);
	for (uint32_t p = 0; p < second->paths_cnt && to->paths_cnt < DEDUP_PATHS_MAX; p++)
		if (!find_path(to, &second->paths[p]))
			to->paths[to->paths_cnt++] = second->paths[p];
	to->source = second->source;
	to->messages += gap + second->messages;
	to->lost += second->lost + (is_in_history ? 0 : open);
	to->missing = second->missing + (is_in_history ? open : 0);
	to->restarts += second->restarts;
	to->others += second->others;
	to->jumped += second->jumped;
	to->high = second->high;
	accounts_judge_paths(f, to);
}

bool accounts_read(const struct filter *f, uint32_t source, struct source_figures *out)
{
	struct source_figures part;
	uint64_t gap;

	if (!accounts_read_part(f, source, out) ||
	    (read_part(f, out, 1, &part) && gap_between(out, &part) < JUMP_MAX))
		return false;
	while (read_part(f, out, -1, &part) && (gap = gap_between(&part, out)) < JUMP_MAX) {
		join(f, &part, out, gap);
		*out = part;
	}
	return true;
}
