/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a change keeps of a filter's streams: which stream is which, though its place is another one
 * now, and what that means for its realm. Pure.
 *
 * A stream is kept if the new filter has one of its name whose ids are made alike. Streams that were
 * given no name have their profile's, with a number by their places: where the old or the new filter
 * has several whose names differ in this number alone, a stream is kept by its ports and
 * destinations instead: an id of one must not be known in another one. What a name is, its text does
 * not tell: spec_stream.named does.
 *
 * A realm is kept with its key, by the first of its streams that is kept, unless a realm before it
 * has that key already. All that lasts longer than a program goes by a stream's slot or by a realm's
 * key. So a stream that joins a realm knows what the realm knew.
 */
#ifndef XDP_DEDUP_KEPT_H
#define XDP_DEDUP_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* The place in *old of the stream that *s, a stream of *c, is; -1 if *old has none. */
int kept_stream(const struct dedup_config *old, const struct dedup_config *c,
		const struct dedup_stream *s);

/* Does stream n of *c have the realm of stream i of *old, and ids as long? Then it knows the ids
 * that stream i has seen. Both have their keys.
 */
bool kept_is_realm(const struct dedup_config *old, uint32_t i, const struct dedup_config *c,
		   uint32_t n);

/* Does stream n of *c know the ids that it has seen in *old itself: is it a stream that is kept, in
 * its realm? Both have their keys.
 */
bool kept_knows_its_own(const struct dedup_config *old, const struct dedup_config *c, uint32_t n);

/* The stream of this slot; -1 if there is none. */
int kept_of_slot(const struct dedup_config *c, uint32_t slot);

/* Gives the streams of *c, which has its serial number, slots: kept ones those that they had in
 * *old, others those that no stream has had yet.
 */
void kept_slots(const struct dedup_config *old, struct dedup_config *c);

#endif
