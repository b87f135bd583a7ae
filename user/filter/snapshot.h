/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The snapshot of a filter: its configuration, its ids and their ages, so that another kernel can
 * continue the filter, after a reboot or on another machine. It also contains the secrets. This
 * header defines its meaning; snapshot_file.h writes and reads it. Pure, except
 * snapshot_moment_now(), snapshot_take() and snapshot_finish().
 *
 * A snapshot is of one moment, that of snapshot_take(), though packets and the hand go on while
 * the memory is read afterwards. No id in it lives longer than two windows, and it has all earlier
 * ids that the filter would still remember, because:
 * - Ages are not in the memory. The hand's marks tell when the ids in a place are to be forgotten,
 *   and the snapshot has the marks of its moment.
 * - When a half of a block, or an array of flat, is read, it contains its ids of the moment and
 * later ids; if the hand has passed it meanwhile, only later ids. By the marks of the moment, later
 * ids are forgotten together with those of the moment: at most two windows after the moment, which
 * is less after they were learned. What the hand has cleared meanwhile was due, and is due at that
 *   time by the snapshot's marks, too.
 * - A cell of countdown contains the countdown at which it reaches 0. A cell that was set meanwhile
 *   counts as set at the moment, and a cell at 0 stays at 0: snapshot_rewind().
 * - The number of learned ids is read last. So the marks count at least the ids that are in the
 *   memory, and the rate holds.
 * Only ids that arrive while the memory is being read may be missing.
 */
#pragma once

#include <stdint.h>

#include "open_filter.h"

#define SNAPSHOT_MAGIC "xdpdedup"
#define SNAPSHOT_VERSION 1
#define SNAPSHOT_ID_TEXT 40 /* bytes for a boot's or a machine's id, with the 0 at the end */
#define SNAPSHOT_REFUSAL_MAX 160

/* When and where a snapshot was taken. */
struct snapshot_moment {
	__u64 wall_ns; /* CLOCK_REALTIME, which anybody may set */
	__u64 boot_ns; /* CLOCK_BOOTTIME */
	__u64 hand_ns; /* the kernel's CLOCK_MONOTONIC, which time namespaces do not change */
	char boot[SNAPSHOT_ID_TEXT], machine[SNAPSHOT_ID_TEXT]; /* "": not known */
};

/* A struct dedup_mark with an age instead of a time. */
struct snapshot_mark {
	__u64 learned;
	__u64 age_ns;
};

/* The head of the file, before the blocks. Numbers are in the machine's byte order. */
struct snapshot_head {
	char magic[8]; /* SNAPSHOT_MAGIC, without its 0 */
	__u32 version; /* SNAPSHOT_VERSION */
	__u32 format;  /* DEDUP_FORMAT of `config` */
	__u64 file_bytes;
	__u64 head_bytes; /* of this struct as it was written; the blocks follow */
	struct snapshot_moment moment;

	/* As in struct dedup_state; times are relative to the moment. */
	__u64 hand;
	__u64 learned;
	__u64 requested; /* places from `hand` on */
	__s64 next_ns;	 /* from the moment on */
	__s64 drop_ns;	 /* DEDUP_DROP_FOR: how much longer duplicates are dropped */
	struct snapshot_mark marks[2 * DEDUP_MARKS];
	char ifnames[DEDUP_IFACES_MAX][16]; /* where it ran; "": unused */

	__u64 blocks_sum; /* snapshot_sum() of the blocks */
	__u64 sum;	  /* snapshot_sum() of the head, with 0 in this field */

	/* As of the first program of a filter without predecessor. The last field, as a later
	 * format has a longer one (include/format.h).
	 */
	struct dedup_config config;
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct snapshot_head) % sizeof(struct dedup_block) == 0, "is summed as blocks");

/* Continues a checksum over cnt more blocks. sum: of the earlier blocks, or 0. It finds damage,
 * except one case in 2^64. It has no key, as it does not protect against forgery: who can write a
 * snapshot can write a whole one. SipHash is in the tree already, and faster than disks.
 */
uint64_t snapshot_sum(uint64_t sum, const struct dedup_block *blocks, size_t cnt);
uint64_t snapshot_head_sum(const struct snapshot_head *h);

/* Reads the present moment. Returns 0; or -errno if the boot is unknown. Needs kernel_ready(). */
int snapshot_moment_now(struct snapshot_moment *out);

/* Returns how long ago `saved` was, at least, in ns: the greater of two times. One is by the wall
 * clock, which may have been set back. The other is by clocks that nobody can set: within one boot
 * their difference; else, unless this is another machine, the time since the boot.
 */
uint64_t snapshot_elapsed(const struct snapshot_moment *saved, const struct snapshot_moment *now);

/* Returns when --for of this snapshot's filter ends, by this kernel's clock: 1 or more; 0 without
 * --for. It was taken elapsed_ns ago; now_ns is the time by this kernel's clock.
 */
uint64_t snapshot_drop_until(const struct snapshot_head *h, uint64_t now_ns, uint64_t elapsed_ns);

/* Fills in *h except its sums, before the memory is read. Returns 0; -EAGAIN if the hand has
 * stopped while it was clearing an array.
 */
int snapshot_take(const struct filter *f, const struct snapshot_moment *now, struct snapshot_head *h);

/* Fills in the rest of *h except its sums, after the memory has been read. */
void snapshot_finish(const struct filter *f, struct snapshot_head *h);

/* Gives copied blocks their content of the snapshot's moment, as explained at the top. hand: the
 * filter's, read after the blocks were copied.
 */
void snapshot_rewind(const struct snapshot_head *h, uint64_t hand, struct dedup_block *blocks,
		     size_t cnt);

/* Checks that this is a snapshot that can be restored, in a file of file_bytes. Returns NULL; or a
 * sentence that explains why not, which may be in `text`. bytes: how many of *h were read, up to
 * sizeof(*h); the rest is 0. Converts a head of the previous format to this one, except its sum and
 * head_bytes.
 */
const char *snapshot_refusal(struct snapshot_head *h, size_t bytes, uint64_t file_bytes,
			     char text[SNAPSHOT_REFUSAL_MAX]);

/* Sets *out to the state of a filter with this snapshot's memory, as a predecessor that is not in
 * charge. The snapshot was taken elapsed_ns ago; now_ns is the time by this kernel's clock. The
 * hand is where it was in the snapshot, until the caller calls snapshot_age().
 */
void snapshot_state(const struct snapshot_head *h, uint64_t now_ns, uint64_t elapsed_ns,
		    struct dedup_state *out);

/* Ages the memory and its state as the filter's hand would have done without packets since the
 * snapshot: each place when it was due. So ids live no longer than in the filter. If no id is left,
 * the state's `passed` is its forgotten_at afterwards.
 */
void snapshot_age(const struct snapshot_head *h, uint64_t now_ns, uint64_t elapsed_ns,
		  struct dedup_state *st, struct dedup_block *blocks);

/* Upper bounds on the ids in the younger and in the older generation of a snapshot's filter. */
struct snapshot_ids {
	uint64_t younger, older;
};
struct snapshot_ids snapshot_ids(const struct snapshot_head *h);

/* Ages the memory, after snapshot_age(), as if it had learned these ids, which its future successor
 * has. So both together keep the rate of one filter (predecessor.h).
 */
void snapshot_add_ids(const struct snapshot_head *h, struct snapshot_ids ids,
		      const struct dedup_config *successor, struct dedup_state *st,
		      struct dedup_block *blocks);
