/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The ids that the survey's streams find in a packet. */
#ifndef XDP_DEDUP_SURVEY_IDS_H
#define XDP_DEDUP_SURVEY_IDS_H

#include "survey_state.h"

/* Returns whether the stream is for all traffic, instead of for some destinations. */
bool survey_ids_of_all_traffic(const struct survey *s, uint32_t stream);

/* Finds the packet's ids, by all streams in their order, and prefetches their entries. `out` has
 * room for DEDUP_STREAMS_MAX. Returns their number, or -ENOMEM.
 */
int survey_ids_find(struct survey *s, const struct survey_packet *seen, struct survey_lookup *out);

/* Returns a digest of bytes, never 0. Of bytes beyond DEDUP_DIGEST_MAX only the number counts. */
uint64_t survey_ids_digest(const struct survey *s, const void *bytes, uint32_t len);

/* Returns a digest of the whole frame, without the bits that the stream's id masks, and without
 * those of the path; 0 if the frame was cut.
 */
uint64_t survey_ids_masked_digest(struct survey *s, const struct survey_packet *seen,
				  const struct dedup_stream *st);

#endif
