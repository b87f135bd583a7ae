/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Noting packets in the account of their source (account.h). */
#pragma once

#include "account_numbering.h"

/* About a millisecond: a hypervisor, or an interrupt, may stop the CPU that has the lock. */
#define DEDUP_ACCOUNT_TRIES (1 << 18)

/* For DEDUP_LOOP(): one try to take the account's lock. */
static long dedup_try_account(__u32 i, struct dedup_noting *o)
{
	__u64 *version = dedup_account_word(o, DEDUP_ACCOUNT(version));
	__u64 is = version ? READ_ONCE(*version) : 1;

	(void)i;
	o->version = is | 1;
	o->is_held = !(is & 1) && __sync_val_compare_and_swap(version, is, is + 1) == is;
	return !version || o->is_held;
}

/* Counts a packet that could not be noted. On a path without a noted packet it need not be counted:
 * the path's numbers begin with the first packet that is noted.
 */
static __always_inline void dedup_count_unnoted(const struct dedup_noting *o, __u64 path)
{
	__u64 *word;

	if (path == DEDUP_PATHS_MAX)
		return;
	dedup_account_set(o, dedup_path_word(path, DEDUP_PATH(gave_up)), o->version);
	word = dedup_account_word(o, dedup_path_word(path, DEDUP_PATH(unnoted)));
	if (word)
		__sync_fetch_and_add(word, 1);
}

/* Another CPU has the lock. If it is stopped meanwhile, one packet of each path waits. */
static __always_inline bool dedup_wait_for_account(struct dedup_noting *o, __u64 key)
{
	__u64 path = dedup_known_path(o, key);

	if (path == DEDUP_PATHS_MAX ||
	    dedup_account_get(o, dedup_path_word(path, DEDUP_PATH(gave_up))) != o->version)
		DEDUP_LOOP(DEDUP_ACCOUNT_TRIES, dedup_try_account, o);
	if (!o->is_held)
		dedup_count_unnoted(o, path);
	return o->is_held;
}

static __always_inline bool dedup_take_account(struct dedup_noting *o, __u64 key)
{
	dedup_try_account(0, o);
	return likely(o->is_held) || dedup_wait_for_account(o, key);
}

/* By a swap, which is a full barrier. Clang makes an addition whose result is not used into one
 * without, and JIT compilers for weakly ordered machines leave it at that.
 */
static __always_inline void dedup_release_account(const struct dedup_noting *o)
{
	__u64 *version = dedup_account_word(o, DEDUP_ACCOUNT(version));

	if (version)
		__sync_val_compare_and_swap(version, o->version, o->version + 1);
}

/* Finds the packet's path among the keys, or puts it there. False if there is no room for it. */
static __always_inline bool dedup_find_path(struct dedup_noting *o, __u64 key)
{
	for (__u64 i = 0; i < DEDUP_PATHS_MAX && i < o->paths; i++) {
		__u64 is = dedup_account_get(o, DEDUP_ACCOUNT_KEYS + i), path = i;

		if (!is)
			dedup_account_set(o, DEDUP_ACCOUNT_KEYS + i, key);
		if (!is || is == key) {
			DEDUP_FORGET(path, o->now_ns);
			o->path = path;
			return true;
		}
	}
	dedup_account_add(o, DEDUP_ACCOUNT(others), 1);
	return false;
}

/* Which bits of a word's numbers, whose first is `start`, are of this number and those behind it? */
static __always_inline __u32 dedup_bits_from(__u64 number, __u64 start)
{
	__s64 from = (__s64)(number - start);

	return from <= 0 ? ~0U : from < DEDUP_WORD_NUMBERS ? ~0U << from : 0;
}

/* The numbers of one path in a row's word of bits. */
static __always_inline __u32 dedup_path_bits(__u64 bits, __u64 path)
{
	return (__u32)(bits >> path % 2 * 32);
}

/* What the row has of an earlier lap leaves the history. */
static __always_inline void dedup_leave_history(const struct dedup_noting *o, __u64 row, __u64 is)
{
	if (is >> 32 < dedup_account_lap(dedup_account_get(o, DEDUP_ACCOUNT(numbering))))
		return; /* of an account before this one */
	dedup_account_add(o, DEDUP_ACCOUNT(left), __builtin_popcount((__u32)is));
	for (__u64 i = 0; i < DEDUP_PATHS_MAX && i < o->paths; i++) {
		__u64 bits = dedup_account_get(o, row + DEDUP_ROW_BITS + i / 2);

		dedup_account_add(o, DEDUP_ACCOUNT_LEFT + i,
				  __builtin_popcount(dedup_path_bits(bits, i)));
	}
}

/* The row is begun anew in this lap, by a number at this place in the word. */
static __always_inline void dedup_begin_row(const struct dedup_noting *o, __u64 row, __u64 is,
					    __u64 lap, __u32 place)
{
	dedup_leave_history(o, row, is);
	for (__u64 i = 0; i < DEDUP_PATHS_MAX / 2 && 2 * i < o->paths; i++)
		dedup_account_set(o, row + DEDUP_ROW_BITS + i, 0);
	dedup_account_set(o, row + DEDUP_ROW_TIME, (o->now_ns & -DEDUP_WORD_NUMBERS) | place);
	dedup_account_set(o, row + DEDUP_ROW_ALL, lap << 32);
}

/* The bucket of a skew: from ns to the power of 2 of the us. */
static __always_inline __u64 dedup_skew_bucket(__u64 ns)
{
	__u64 i;

	for (i = 0; i < DEDUP_SKEWS - 1; i++)
		if (ns < 1000ULL << i)
			break;
	return i;
}

/* Copies of these numbers came. If one is the word's first number that came at all, its time is
 * known.
 */
static __always_inline void dedup_note_skew(const struct dedup_noting *o, __u64 row, __u32 copies)
{
	__u64 since = dedup_account_get(o, row + DEDUP_ROW_TIME);
	__s64 skew = (__s64)(o->now_ns - (since & -DEDUP_WORD_NUMBERS));

	if (copies >> since % DEDUP_WORD_NUMBERS & 1)
		dedup_account_add(o,
				  dedup_path_word(o->path, DEDUP_PATH(skew)) +
					  dedup_skew_bucket(skew > 0 ? skew : 0),
				  1);
}

/* The highest of these numbers is the account's or the path's highest, or it came out of order. */
static __always_inline void dedup_note_order(const struct dedup_noting *o, __u64 high, __u32 cnt)
{
	if (high > dedup_account_get(o, DEDUP_ACCOUNT(high)))
		dedup_account_set(o, DEDUP_ACCOUNT(high), high);
	if (high > dedup_account_get(o, dedup_path_word(o->path, DEDUP_PATH(high))))
		dedup_account_set(o, dedup_path_word(o->path, DEDUP_PATH(high)), high);
	else
		dedup_account_add(o, dedup_path_word(o->path, DEDUP_PATH(out_of_order)), cnt);
}

static __always_inline void dedup_note_received(const struct dedup_noting *o, __u32 numbers,
						__u32 fresh)
{
	__u64 path = dedup_path_word(o->path, 0);

	dedup_account_add(o, path + DEDUP_PATH(received), __builtin_popcount(numbers));
	dedup_account_add(o, path + DEDUP_PATH(first), __builtin_popcount(numbers & fresh));
}

/* The count of the account's numbers up to this one, which begins with account->before in each
 * numbering.
 */
static __always_inline __u64 dedup_account_index(const struct dedup_noting *o, __u64 number)
{
	__u64 first = dedup_account_get(o, DEDUP_ACCOUNT(first));

	return dedup_account_get(o, DEDUP_ACCOUNT(before)) + (number > first ? number - first : 0);
}

/* The first number of the path that counts, in the numbering that goes on. */
static __always_inline __u64 dedup_path_begin(const struct dedup_noting *o, __u64 number)
{
	__u64 at = dedup_path_word(o->path, DEDUP_PATH(joined)), joined = dedup_account_get(o, at);

	if (!joined) {
		joined = dedup_account_index(o, number);
		dedup_account_set(o, at, joined);
	}
	return dedup_account_get(o, DEDUP_ACCOUNT(first)) + joined -
	       dedup_account_get(o, DEDUP_ACCOUNT(before));
}

/* By how much the source's laps are ahead of the account's. */
static __always_inline __u64 dedup_account_skipped(const struct dedup_noting *o)
{
	return dedup_account_get(o, DEDUP_ACCOUNT(restarts)) >> 32;
}

/* Notes numbers in one row, which has this lap. */
static __always_inline void dedup_note_numbers(const struct dedup_noting *o, __u64 row,
					       __u64 number, __u32 bits)
{
	__u64 start = number & -DEDUP_WORD_NUMBERS, all = dedup_account_get(o, row),
	      at = row + DEDUP_ROW_BITS + o->path / 2;
	__u64 paths = dedup_account_get(o, at);
	__u32 had = dedup_path_bits(paths, o->path), counted, mine, fresh;

	counted = bits & dedup_bits_from(dedup_account_get(o, DEDUP_ACCOUNT(first)), start);
	mine = counted & dedup_bits_from(dedup_path_begin(o, number), start);
	fresh = counted & ~(__u32)all;
	dedup_account_set(o, row, all | counted);
	dedup_account_set(o, at, paths | (__u64)mine << o->path % 2 * 32);
	dedup_note_received(o, mine & ~had, fresh);
	dedup_account_add(o, dedup_path_word(o->path, DEDUP_PATH(repeated)),
			  __builtin_popcount(mine & had));
	if (mine)
		dedup_note_order(o, number + __builtin_popcount(bits) - 1,
				 __builtin_popcount(mine & ~had));
	dedup_note_skew(o, row, mine & ~had & ~fresh);
}

/* A far number has come. If the ones before it are a history away, it is the first one. */
static __always_inline void dedup_note_far(const struct dedup_noting *o, __u64 number)
{
	__u64 far = dedup_account_get(o, DEDUP_ACCOUNT(far));
	__s64 ahead = dedup_ahead(o->r, far - 1, number);

	if (!far || ahead < 0 || dedup_is_far(o->r, ahead))
		dedup_account_set(o, DEDUP_ACCOUNT(far), 1 + dedup_number(o->r, number));
}

/* For DEDUP_LOOP(): notes the packet's numbers in the i-th word that it has any in. */
static long dedup_note_word(__u32 i, struct dedup_noting *o)
{
	bool has_ended = !(dedup_account_get(o, DEDUP_ACCOUNT(numbering)) & 2);
	struct dedup_numbers n;
	__u64 row, lap, is;
	__s64 ahead;
	__u32 cnt;

	if (!dedup_numbers_of(o->p, i, &n))
		return 1;
	cnt = __builtin_popcount(n.bits);
	ahead = dedup_ahead(o->r, o->near, n.first);
	lap = dedup_lap(o->r, o->near, ahead) - dedup_account_skipped(o);
	row = dedup_row_word(o, n.first);
	is = dedup_account_get(o, row);
	if (dedup_is_far(o->r, ahead) || has_ended) {
		dedup_note_far(o, n.first);
		dedup_account_add(o, dedup_path_word(o->path, DEDUP_PATH(far)), cnt);
		return 0;
	}
	if (dedup_account_get(o, DEDUP_ACCOUNT(far)))
		dedup_account_set(o, DEDUP_ACCOUNT(far), 0);
	if (is >> 32 > lap) {
		dedup_account_add(o, dedup_path_word(o->path, DEDUP_PATH(late)), cnt);
		return 0;
	}
	if (is >> 32 < lap)
		dedup_begin_row(o, row, is, lap, n.first % DEDUP_WORD_NUMBERS);
	dedup_note_numbers(o, row, dedup_extended(o->r, lap, n.first), n.bits);
	return 0;
}

/* Has the account begun? The packet begins it, or another numbering, if it is the first one there.
 * A packet whose number is far from the source's others begins neither: if the source has another
 * numbering than the account, it notes that the account's has ended.
 */
static __always_inline bool dedup_is_account_begun(struct dedup_noting *o, __u64 key)
{
	__u64 is = dedup_account_get(o, DEDUP_ACCOUNT(numbering)), number, numbering;
	__s64 ahead = dedup_ahead(o->r, o->near, o->p->first);

	numbering = 2 | dedup_near_numbering(o->r, o->near);
	if ((is & 3) == numbering)
		return true;
	if (dedup_is_far(o->r, ahead)) {
		/* By one bit, the numbering after this one would look like the account's. */
		if (is)
			dedup_account_set(o, DEDUP_ACCOUNT(numbering),
					  (is & ~3ULL) | DEDUP_NUMBERING_ENDED);
		return is;
	}
	number = dedup_extended(o->r, dedup_lap(o->r, o->near, ahead), o->p->first);
	if (is)
		dedup_next_numbering(o, number, key);
	else
		dedup_begin_account(o, number);
	return true;
}

/* Notes a packet that was judged, which came on the path with this key. The account's lock is held.
 * All of *o is set but `path`.
 */
static __always_inline void dedup_note_packet(struct dedup_noting *o, __u64 key)
{
	if (dedup_is_account_begun(o, key) && dedup_find_path(o, key)) {
		dedup_account_add(o, dedup_path_word(o->path, DEDUP_PATH(packets)), 1);
		dedup_account_set(o, dedup_path_word(o->path, DEDUP_PATH(last)), o->p->now);
		/* A call of its own takes less than a loop of one round. */
		if (dedup_is_in_a_word(o->p))
			dedup_note_word(0, o);
		else
			DEDUP_LOOP(dedup_packet_words(o->p), dedup_note_word, o);
	}
}
