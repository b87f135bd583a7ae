/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ids that the survey's streams find in a packet. */
#ifndef XDP_DEDUP_SURVEY_IDS_H
#define XDP_DEDUP_SURVEY_IDS_H

#include "survey_state.h"

/* Is the stream one for all traffic, not for some destinations? */
bool survey_ids_of_all_traffic(const struct survey *s, uint32_t stream);

/* Finds the packet's ids, by all streams in their order, and prefetches their memory. `out` has
 * room for DEDUP_STREAMS_MAX. Returns how many, or -ENOMEM.
 */
int survey_ids_find(struct survey *s, const struct seen *seen, struct survey_lookup *out);

/* Returns a digest of any bytes; never 0. Bytes beyond DEDUP_DIGEST_MAX count by their number
 * only.
 */
uint64_t survey_ids_digest(const struct survey *s, const void *bytes, uint32_t len);

/* Returns a digest of the whole frame, without what the stream's id masks, and without the path;
 * 0 if the frame was cut.
 */
uint64_t survey_ids_masked_digest(struct survey *s, const struct seen *seen,
				  const struct dedup_stream *st);

#endif
