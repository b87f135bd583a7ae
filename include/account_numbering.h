/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How an account (account.h) begins, and what becomes of it when its source begins another numbering:
 * does the sender go on, has it gone on far ahead, or has it restarted? The account's lock is held.
 */
#pragma once

#include "account.h"

/* The place of this key among the paths' keys; DEDUP_PATHS_MAX: it is not there. */
static __always_inline __u64 dedup_known_path(const struct dedup_noting *o, __u64 key)
{
	for (__u64 i = 0; i < DEDUP_PATHS_MAX && i < o->paths; i++)
		if (dedup_account_get(o, DEDUP_ACCOUNT_KEYS + i) == key)
			return i;
	return DEDUP_PATHS_MAX;
}

/* For DEDUP_LOOP(): clears a word. */
static long dedup_clear_account_word(__u32 i, struct dedup_noting *o)
{
	dedup_account_set(o, 1 + i, 0); /* not the version */
	return 0;
}

/* How far the packet's first number is ahead of this one, of as many bits as the account knows. */
static __always_inline __s64 dedup_ahead_of(const struct dedup_noting *o, __u64 number)
{
	__u32 bits = o->r->ring_shift + 31;

	if (bits > o->r->width)
		bits = o->r->width;
	return (__s64)((o->p->first - number) << (64 - bits)) >> (64 - bits);
}

/* How far it is ahead of the next one after this number of the account. */
static __always_inline __s64 dedup_gap(const struct dedup_noting *o, __u64 after)
{
	__u64 ahead = dedup_account_get(o, DEDUP_ACCOUNT(numbering)) >> DEDUP_ACCOUNT_AHEAD;

	return dedup_ahead_of(o, after + (ahead << o->r->ring_shift) + 1);
}

/* Numbers ahead of this gap are no loss, but another numbering of a sender that has restarted. */
static __always_inline __s64 dedup_gap_max(const struct dedup_recovery *r)
{
	return r->width < 32 ? dedup_history(r) : 1LL << 31;
}

/* How many numbers came as far ones, up to the packet, before this numbering began. */
static __always_inline __s64 dedup_came_far(const struct dedup_noting *o, __s64 gap)
{
	__u64 far = dedup_account_get(o, DEDUP_ACCOUNT(far));
	__s64 came = dedup_ahead_of(o, far - 1);

	return far && came >= 0 && came <= gap ? came : 0;
}

/* The packet's first number as a number of the account, if it goes on within the history: where the
 * account has ended, or where the packet's path has, which may be behind the others. 0: it does not.
 */
static __always_inline __u64 dedup_goes_on(const struct dedup_noting *o, __u64 key, __s64 gap)
{
	__u64 all = dedup_account_get(o, DEDUP_ACCOUNT(high)), high = 0, number,
	      path = dedup_known_path(o, key);

	if (gap > -DEDUP_WORD_NUMBERS)
		return gap < (__s64)dedup_history(o->r) && !dedup_came_far(o, gap) ? all + 1 + gap
										   : 0;
	if (path < DEDUP_PATHS_MAX)
		high = dedup_account_get(o, dedup_path_word(path, DEDUP_PATH(high)));
	/* A path's number below the account's first one is of an account or numbering before. */
	if (high < dedup_account_get(o, DEDUP_ACCOUNT(first)))
		return 0;
	gap = dedup_gap(o, high);
	number = high + 1 + gap;
	return gap > -DEDUP_WORD_NUMBERS && number <= all && all - number < dedup_history(o->r)
		       ? number
		       : 0;
}

/* The word `numbering` of an account with this lap, in the numbering of the packet's first number,
 * which is this one.
 */
static __always_inline __u64 dedup_account_numbering(const struct dedup_noting *o, __u64 lap,
						     __u64 number)
{
	__u64 ahead = (o->p->first >> o->r->ring_shift) - (number >> o->r->ring_shift);

	return ahead << DEDUP_ACCOUNT_AHEAD | lap << 2 | 2 | dedup_near_numbering(o->r, o->near);
}

/* Begins the account by the packet, whose first number this is. What an account before this one has
 * seen is not counted.
 */
static __always_inline void dedup_begin_account(struct dedup_noting *o, __u64 number)
{
	__s64 seen = -dedup_ahead_of(o, o->known);

	DEDUP_LOOP((__u32)dedup_path_word(o->paths, 0) - 1, dedup_clear_account_word, o);
	dedup_account_set(o, DEDUP_ACCOUNT(numbering),
			  dedup_account_numbering(o, number >> o->r->ring_shift, number));
	if (o->known && seen > 0)
		number += seen;
	dedup_account_set(o, DEDUP_ACCOUNT(before), 1);
	dedup_account_set(o, DEDUP_ACCOUNT(since_ns), o->now_ns);
	dedup_account_set(o, DEDUP_ACCOUNT(first), number);
	dedup_account_set(o, DEDUP_ACCOUNT(high), number - 1);
}

/* The numbers that are expected between the end of the account's numbering and the packet, with
 * which another one begins; negative: the sender has restarted. Not those that came as far ones,
 * nor those from before the last restart, as when packets of a path come later than the history.
 */
static __always_inline __s64 dedup_jump(const struct dedup_noting *o, __s64 gap)
{
	__u64 top = dedup_account_get(o, DEDUP_ACCOUNT(top));
	__s64 ahead = dedup_ahead_of(o, top);

	if (gap >= dedup_gap_max(o->r))
		return -1;
	if (top && ahead >= 0 && ahead < gap)
		gap = ahead;
	return gap - dedup_came_far(o, gap);
}

/* The account's numbering ends, and so many numbers later the one of the packet's number begins;
 * negative: the sender has restarted.
 */
static __always_inline void dedup_end_numbering(struct dedup_noting *o, __u64 number, __s64 gap)
{
	__u64 is = dedup_account_get(o, DEDUP_ACCOUNT(numbering)),
	      restarts = (__u32)dedup_account_get(o, DEDUP_ACCOUNT(restarts));
	__s64 jump = dedup_jump(o, gap);

	if (jump < 0) {
		dedup_account_set(o, DEDUP_ACCOUNT(top),
				  (o->p->first - (__u64)gap) & ((1ULL << o->r->width) - 1));
		restarts++;
		jump = 0;
	}
	dedup_account_set(o, DEDUP_ACCOUNT(restarts), (__u32)restarts);
	dedup_account_add(o, DEDUP_ACCOUNT(jumped), jump);
	dedup_account_add(o, DEDUP_ACCOUNT(before),
			  dedup_account_get(o, DEDUP_ACCOUNT(high)) + 1 + jump -
				  dedup_account_get(o, DEDUP_ACCOUNT(first)));
	dedup_account_set(o, DEDUP_ACCOUNT(first), number);
	dedup_account_set(o, DEDUP_ACCOUNT(high), number - 1);
	dedup_account_set(o, DEDUP_ACCOUNT(numbering),
			  dedup_account_numbering(o, dedup_account_lap(is), number));
}

/* Another numbering has begun by this number. If it goes on within the history, there was a
 * silence: the account's numbers go on too, and its laps do not skip as the source's do. So copies
 * of what came before the silence are still noted.
 */
static __always_inline void dedup_next_numbering(struct dedup_noting *o, __u64 number, __u64 key)
{
	__u64 is = dedup_account_get(o, DEDUP_ACCOUNT(numbering));
	__s64 gap = dedup_gap(o, dedup_account_get(o, DEDUP_ACCOUNT(high)));
	__u64 goes_on = dedup_goes_on(o, key, gap),
	      restarts = (__u32)dedup_account_get(o, DEDUP_ACCOUNT(restarts));

	if (!goes_on || goes_on > number) { /* the account's laps are never ahead of the source's */
		dedup_end_numbering(o, number, gap);
		return;
	}
	if (gap > 0)
		dedup_account_add(o, DEDUP_ACCOUNT(jumped), gap);
	dedup_account_set(o, DEDUP_ACCOUNT(restarts),
			  ((number - goes_on) >> o->r->ring_shift) << 32 | restarts);
	dedup_account_set(o, DEDUP_ACCOUNT(numbering),
			  dedup_account_numbering(o, dedup_account_lap(is), goes_on));
}
