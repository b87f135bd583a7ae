/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Ids in a live filter, from user space: on the mapped memory, without a system call, while the
 * packet path and other threads work on it. An id has the packet path's form, of f->stream:
 * GSP/1's bytes, or the words of stream_make_id(). As in the packet program, ids that a
 * predecessor knows are known, if it is open (filter_open_predecessor()), and ids are learned by
 * the filter that is in charge (include/predecessor.h). Every function returns 1 for a known id and
 * 0 for a new one, as the library does.
 */
#ifndef XDP_DEDUP_IDS_H
#define XDP_DEDUP_IDS_H

#include <stdint.h>

#include "open_filter.h"

/* Is the id known, that is, in the window? Returns 1: yes, or a false positive; 0: no, also for
 * the all-zero id.
 */
int ids_test(const struct filter *f, const uint8_t *id);

/* Does what a packet does: learns the id unless it is known. Returns 1 if it was known; 0 if it
 * was new; -ENOSPC if it is new, but the filter may learn no more until the hand has moved on (in
 * milliseconds); -EINVAL for the all-zero id. Of a numbered stream: what numbers_see() returns.
 */
int ids_see(struct filter *f, const uint8_t *id);

/* Calls ids_see() for each of cnt ids (at most IDS_AT_ONCE), in order; results[] gets what it
 * returns. Faster than single calls: all memory is prefetched first.
 */
#define IDS_AT_ONCE 16
void ids_see_many(struct filter *f, const uint8_t (*ids)[DEDUP_ID_BYTES_MAX], unsigned int cnt,
		  int *results);

/* Does what ids_see() does; but in layout countdown a known id is refreshed: it is then known for
 * as long as a new one. If there is no room for that, the id stays as it is, and 1 is returned.
 */
int ids_add(struct filter *f, const uint8_t *id);

/* For a caller that has learned an id in the predecessor of *f just when *f was put in charge:
 * other callers may be learning it in *f. Learns the id in *f, too, if there is room. Returns 0 if
 * this caller is still the first; 1 if another was first.
 */
int ids_learn_again(struct filter *f, const uint8_t *id);

/* Layout countdown: removes the id, and with it any other id that shares a cell with it. A numbered
 * stream, in any layout: forgets the number. Returns 1 if it was known, 0 if not; -EOPNOTSUPP in
 * other layouts; -EBUSY if a predecessor of another
 * layout knows it, and then nothing is done; -EINVAL for the all-zero id.
 */
int ids_remove(struct filter *f, const uint8_t *id);

/* Can ids be removed in this filter's layout, or of f->stream? */
bool ids_can_remove(const struct filter *f);

#endif
