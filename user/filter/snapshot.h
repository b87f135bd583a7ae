/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The snapshot of a filter: its configuration, its ids and their ages, so that another kernel can
 * go on with it, after a reboot or on another machine. It contains the secrets, too. This header
 * defines its meaning; snapshot_file.h writes and reads it. Pure, except snapshot_moment_now(),
 * snapshot_take() and snapshot_finish().
 *
 * A snapshot is of one moment, that of snapshot_take(), though packets and the hand go on while
 * the memory is read afterwards. No id in it lives longer than two windows, and no id of an
 * earlier moment is missing that the filter would still remember, because:
 * - Ages are not in the memory. The hand's marks tell when the ids in a place are to be forgotten,
 *   and the snapshot has the marks of its moment.
 * - When a half of a block, or an array of flat, is read, it contains what it had at the moment,
 *   and ids that came since; if the hand has passed it since, only the latter. By the marks of the
 *   moment, later ids are forgotten together with those of the moment: at most two windows after
 *   the moment, and they came after it. What the hand has cleared since was due, and is due by the
 *   snapshot's marks at that time, too.
 * - A cell of countdown contains the countdown at which it reaches 0. A cell that was set since
 *   counts as if it had been set at the moment, and one at 0 stays at 0: snapshot_settle().
 * - The number of learned ids is read last. So the marks count at least the ids that are in the
 *   memory, and the rate holds.
 * Only ids that come while the memory is being read may be missing.
 */
#ifndef XDP_DEDUP_SNAPSHOT_H
#define XDP_DEDUP_SNAPSHOT_H

#include <stdint.h>

#include "open_filter.h"

#define SNAPSHOT_MAGIC "xdpdedup"
#define SNAPSHOT_VERSION 1
#define SNAPSHOT_ID_TEXT 40 /* bytes for a boot's or a machine's id, with the 0 at the end */
#define SNAPSHOT_SAYS_MAX 160

/* When and where a snapshot was taken. */
struct snapshot_moment {
	__u64 wall_ns; /* CLOCK_REALTIME, which anybody may set */
	__u64 boot_ns; /* CLOCK_BOOTTIME */
	__u64 hand_ns; /* the kernel's CLOCK_MONOTONIC, which time namespaces do not change */
	char boot[SNAPSHOT_ID_TEXT], machine[SNAPSHOT_ID_TEXT]; /* "": not known */
};

/* A struct dedup_mark with an age in the place of a time. */
struct snapshot_mark {
	__u64 learned;
	__u64 age_ns;
};

/* The head of the file, before the blocks. Numbers are in the machine's byte order. */
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
	__u64 requested; /* places from `hand` on */
	__s64 next_ns;	 /* time from the moment on */
	__s64 drop_ns;	 /* DEDUP_DROP_FOR: how much longer duplicates are dropped */
	struct snapshot_mark marks[2 * DEDUP_MARKS];
	char ifnames[DEDUP_IFACES_MAX][16]; /* where it ran; "": unused */

	__u64 blocks_sum; /* snapshot_sum() of the blocks */
	__u64 sum;	  /* snapshot_sum() of the head, with 0 in this field */

	/* Of a filter without predecessor, whose first program this is. Last: in a later format it
	 * is longer (include/format.h).
	 */
	struct dedup_config config;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct snapshot_head) % sizeof(struct dedup_block) == 0, "is summed as blocks");

/* Continues the sum over cnt more blocks. sum: that of the blocks before; 0: none. The sum finds
 * damage, except one case in 2^64. It is no protection against forgers, who could write a whole
 * snapshot, so it has no key. SipHash is in the tree already, and faster than disks.
 */
uint64_t snapshot_sum(uint64_t sum, const struct dedup_block *blocks, size_t cnt);
uint64_t snapshot_head_sum(const struct snapshot_head *h);

/* Reads the present moment. Returns 0; or -errno if the time is unknown. Needs kernel_ready().
 */
int snapshot_moment_now(struct snapshot_moment *out);

/* Returns how long ago that moment was, at least, in ns. That is the greater of two times: by the
 * wall clock; and, as that may have been set back, by other clocks: within one boot the difference
 * of the clocks that nobody can set; else, unless this is another machine, all time since the
 * boot.
 */
uint64_t snapshot_elapsed(const struct snapshot_moment *saved, const struct snapshot_moment *now);

/* Returns when duplicates are no longer dropped by the filter of this snapshot, as its --for said:
 * 1 or more. It was taken elapsed_ns ago; it is now_ns by this kernel's clock. 0: without --for.
 */
uint64_t snapshot_drop_until(const struct snapshot_head *h, uint64_t now_ns, uint64_t elapsed_ns);

/* Fills in *h except its sums, before the memory is read. Returns 0; -EAGAIN if the hand does not
 * rest: it has stopped in the middle of clearing an array.
 */
int snapshot_take(const struct filter *f, const struct snapshot_moment *now, struct snapshot_head *h);

/* Fills in the rest of *h, after the memory has been read, except the sums. */
void snapshot_finish(const struct filter *f, struct snapshot_head *h);

/* Restores blocks that were just copied to their content of the moment, as explained at the top.
 * hand: that of the filter, read after the blocks were copied.
 */
void snapshot_settle(const struct snapshot_head *h, uint64_t hand, struct dedup_block *blocks,
		     size_t cnt);

/* Checks that this is a snapshot that can be restored, in a file of file_bytes. Returns NULL; or a
 * sentence that explains why not, perhaps in `says`. bytes: how many of *h were read, up to
 * sizeof(*h); the rest is 0. Converts a head of the previous format to this one, except its sum
 * and head_bytes.
 */
const char *snapshot_refusal(struct snapshot_head *h, size_t bytes, uint64_t file_bytes,
			     char says[SNAPSHOT_SAYS_MAX]);

/* Makes *out the state of a filter with this snapshot's memory, as a predecessor that is not in
 * charge. The snapshot was taken elapsed_ns ago; it is now_ns by this kernel's clock. The hand is
 * where it was in the snapshot: snapshot_age() comes next.
 */
void snapshot_state(const struct snapshot_head *h, uint64_t now_ns, uint64_t elapsed_ns,
		    struct dedup_state *out);

/* Ages the memory and its state as the filter's own hand would have done without packets since the
 * snapshot: each place at the time when it was due. So ids live no longer than they would have
 * lived. If no id is left, `passed` of the state is forgotten_at afterwards.
 */
void snapshot_age(const struct snapshot_head *h, uint64_t now_ns, uint64_t elapsed_ns,
		  struct dedup_state *st, struct dedup_block *blocks);

/* At most how many ids the filter of a snapshot has: in the younger and in the older generation.
 */
struct snapshot_ids {
	uint64_t younger, older;
};
struct snapshot_ids snapshot_ids(const struct snapshot_head *h);

/* Ages the memory, after snapshot_age(), as if it had learned these ids of its future successor.
 * So the rate of both together is that of one filter (predecessor.h), though the successor has ids
 * already.
 */
void snapshot_tell(const struct snapshot_head *h, struct snapshot_ids ids,
		   const struct dedup_config *successor, struct dedup_state *st,
		   struct dedup_block *blocks);

#endif
