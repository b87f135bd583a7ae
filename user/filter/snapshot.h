/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The snapshot of a filter: what it is, what it remembers and how old that is, so that another
 * kernel can go on with it, after a reboot or on another machine. It has the secrets, too. Here is
 * what it means; snapshot_file.h writes and reads it. Pure, but for snapshot_moment_now(),
 * snapshot_take() and snapshot_finish().
 *
 * It is of one moment, that of snapshot_take(), though packets and the hand go on while the memory
 * is read after it. Why no id in it lives for longer than two windows, and none of a moment before
 * is missing that a filter would still remember:
 * - Ages are not in the memory: the hand's marks say when what is in a place is to be forgotten,
 * and the snapshot has those of its moment.
 * - What is in a half of a block, or in one of the arrays of flat, when that is read, is what was
 * in it at the moment, and ids that came since; or, if the hand has passed it since, only such ids.
 *   By the marks of the moment they are forgotten along with what was there then: so no later than
 *   two windows after the moment, which is before they came. What the hand has cleared since was
 * due to be, and so it is by the snapshot's marks, at the same time.
 * - A cell of countdown says itself with which countdown it reaches 0. One that was set since
 * counts as if it had been set at the moment, and one at 0 stays at 0: snapshot_settle().
 * - How many ids have been learned is read last. So what the marks say of the load is no less than
 *   what is in the memory, and the rate holds.
 * Only ids that come while it is being read may be missing.
 */
#ifndef XDP_DEDUP_SNAPSHOT_H
#define XDP_DEDUP_SNAPSHOT_H

#include <stdint.h>

#include "open_filter.h"

#define SNAPSHOT_MAGIC "xdpdedup"
#define SNAPSHOT_VERSION 1
#define SNAPSHOT_ID_TEXT 40 /* bytes for a boot's or a machine's id, with the 0 at the end */
#define SNAPSHOT_SAYS_MAX 160

/* When and where. */
struct snapshot_moment {
	__u64 wall_ns; /* CLOCK_REALTIME, which anybody may set */
	__u64 boot_ns; /* CLOCK_BOOTTIME */
	__u64 hand_ns; /* the kernel's CLOCK_MONOTONIC, the same in every time namespace */
	char boot[SNAPSHOT_ID_TEXT], machine[SNAPSHOT_ID_TEXT]; /* "": it cannot be told */
};

/* As struct dedup_mark, but as an age. */
struct snapshot_mark {
	__u64 learned;
	__u64 age_ns;
};

/* What is in front of the blocks. Numbers are in the machine's byte order. */
struct snapshot_head {
	char magic[8]; /* SNAPSHOT_MAGIC, without its 0 */
	__u32 version; /* SNAPSHOT_VERSION */
	__u32 format;  /* DEDUP_FORMAT: that of `config` */
	__u64 file_bytes;
	__u64 head_bytes; /* of this struct as it was written; the blocks follow */
	struct snapshot_moment moment;

	/* As in struct dedup_state; times are relative to the moment. */
	__u64 hand;
	__u64 learned;
	__u64 requested; /* how many places further than the hand has gone */
	__s64 next_ns;	 /* so much later */
	__s64 drop_ns;	 /* DEDUP_DROP_FOR: duplicates are dropped for so long yet */
	struct snapshot_mark marks[2 * DEDUP_MARKS];
	char ifnames[DEDUP_IFACES_MAX][16]; /* where it ran; "": unused */

	__u64 blocks_sum; /* snapshot_sum() of the blocks */
	__u64 sum;	  /* snapshot_sum() of all this, with 0 here */

	/* Of a filter whose first program this is, and no predecessor. Last: a later format has
	 * more of it (include/format.h).
	 */
	struct dedup_config config;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct snapshot_head) % sizeof(struct dedup_block) == 0, "is summed as blocks");

/* The sum of so many blocks that follow those of which `sum` is the sum; 0: none. It is for damage,
 * of which one in 2^64 is not found, and not against forgers, who could just as well write another
 * snapshot: so it has no key. SipHash is here already, and faster than disks.
 */
uint64_t snapshot_sum(uint64_t sum, const struct dedup_block *blocks, size_t cnt);
uint64_t snapshot_head_sum(const struct snapshot_head *h);

/* This moment. 0 or -errno: what time it is cannot be told. Needs kernel_ready(). */
int snapshot_moment_now(struct snapshot_moment *out);

/* How long ago that moment was, at least, in ns: what the wall clock says, and, as that may have
 * been set back, what can be told without it. In the same boot that is the difference of the clocks
 * that nobody can set; else, unless this is another machine, all the time since the boot.
 */
uint64_t snapshot_elapsed(const struct snapshot_moment *saved, const struct snapshot_moment *now);

/* Fills in *h but for its sums, before the memory is read. 0; -EAGAIN if the hand did not stand
 * still for a moment: it has stopped in the middle of clearing an array.
 */
int snapshot_take(const struct filter *f, const struct snapshot_moment *now, struct snapshot_head *h);

/* Puts into *h what is only known once the memory has been read: but for the sums that is all. */
void snapshot_finish(const struct filter *f, struct snapshot_head *h);

/* Makes blocks that were just copied such as they were at the moment (see above). hand: that of the
 * filter, read after they were copied.
 */
void snapshot_settle(const struct snapshot_head *h, uint64_t hand, struct dedup_block *blocks,
		     size_t cnt);

/* NULL if it is a snapshot that can be restored, in a file of so many bytes; else a sentence that
 * says why not, perhaps in `says`. bytes: how many there are, up to sizeof(*h); the rest of *h is
 * 0. One of the format before becomes one of this one, but for its sum and head_bytes.
 */
const char *snapshot_refusal(struct snapshot_head *h, size_t bytes, uint64_t file_bytes,
			     char says[SNAPSHOT_SAYS_MAX]);

/* Makes *out the state of a filter with this snapshot's memory, which was taken elapsed_ns ago, at
 * now_ns of this kernel's clock; as a predecessor that is not in charge. Its hand is where it was:
 * snapshot_age() comes next.
 */
void snapshot_state(const struct snapshot_head *h, uint64_t now_ns, uint64_t elapsed_ns,
		    struct dedup_state *out);

/* Ages the memory and its state as the filter's own hand would have, had it run without packets
 * since the snapshot was taken: each place just when it fell due. So ids get no older than they
 * would have got. `passed` of the state is forgotten_at afterwards if no id is left.
 */
void snapshot_age(const struct snapshot_head *h, uint64_t now_ns, uint64_t elapsed_ns,
		  struct dedup_state *st, struct dedup_block *blocks);

/* How many ids are in a filter of which this is a snapshot: in the younger generation and in the
 * older one, at most.
 */
struct snapshot_ids {
	uint64_t younger, older;
};
struct snapshot_ids snapshot_ids(const struct snapshot_head *h);

/* Ages the memory, after snapshot_age(), as if it had learned these ids of a filter whose
 * predecessor it is to be: so the rate of both together is that of one
 * (predecessor.h), though that filter has ids already.
 */
void snapshot_tell(const struct snapshot_head *h, struct snapshot_ids ids,
		   const struct dedup_config *successor, struct dedup_state *st,
		   struct dedup_block *blocks);

#endif
