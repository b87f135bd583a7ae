/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests and learns ids in a live filter from user space: in the mapped memory, without a system
 * call, while the packet path and other threads use it. An id has the packet path's form for
 * f->stream: GSP/1's bytes, or the words of stream_make_id(). As in the packet program, ids that an
 * open predecessor (filter_open_predecessor()) knows are known, and the filter that is in charge
 * learns ids (include/predecessor.h). Functions return 1 for a known id and 0 for a new one, as
 * the library does.
 */
#pragma once

#include <stdint.h>

#include "open_filter.h"

/* Returns 1 if the id is known, that is, in the window, or a false positive; else 0, also for the
 * all-zero id.
 */
int ids_test(const struct filter *f, const uint8_t *id);

/* Does what a packet does: learns the id unless it is known. Returns 1 if it was known; 0 if it was
 * new; -ENOSPC if it is new, but the filter may learn no more until the hand moves on (within
 * milliseconds); -EINVAL for the all-zero id. For a numbered stream returns what numbers_see()
 * does.
 */
int ids_see(struct filter *f, const uint8_t *id);

/* Calls ids_see() for each of cnt ids (at most IDS_AT_ONCE), in order; results[] gets what it
 * returns. Faster than single calls: all memory is prefetched first.
 */
#define IDS_AT_ONCE 16
void ids_see_many(struct filter *f, const uint8_t (*ids)[DEDUP_ID_BYTES_MAX], unsigned int cnt,
		  int *results);

/* Does what ids_see() does, but in layout countdown refreshes a known id: it is then known for as
 * long as a new one. If there is no room for that, the id stays as it is, and 1 is returned.
 */
int ids_add(struct filter *f, const uint8_t *id);

/* For a caller that has learned an id in the predecessor of *f just when *f was put in charge,
 * while other callers may be learning it in *f. Learns the id in *f, too, if there is room. Returns
 * 0 if this caller is the first there, too; 1 if another was first.
 */
int ids_learn_again(struct filter *f, const uint8_t *id);

/* Layout countdown: removes the id, and any other id that shares a cell with it. Numbered streams,
 * in any layout: forgets the number. Returns 1 if it was known, 0 if not; -EOPNOTSUPP in other
 * layouts; -EBUSY, and does nothing, if a predecessor of another layout knows it; -EINVAL for the
 * all-zero id.
 */
int ids_remove(struct filter *f, const uint8_t *id);

/* Returns whether ids of f->stream can be removed in this filter's layout. */
bool ids_can_remove(const struct filter *f);
