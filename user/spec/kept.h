/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which streams and realms a change of a filter keeps, though their order may change. Pure.
 *
 * A stream is kept if the new filter has a stream of its name whose ids are made in one way.
 * Streams without a given name have their profile's name, with a number by their order. If the old
 * or the new filter has several whose names differ only in this number, a stream is kept by its
 * ports and destinations instead, as no stream may know the ids of another one. spec_stream.named
 * tells whether a name was given.
 *
 * A realm is kept with its key, by the first of its streams that is kept, unless an earlier realm
 * has that key already. Data that lasts longer than a program goes by a stream's slot or a realm's
 * key. So a stream that joins a realm knows what the realm knew.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* Returns the number of the stream of *old that *s, a stream of *c, continues; -1: none does. */
int kept_stream(const struct dedup_config *old, const struct dedup_config *c,
		const struct dedup_stream *s);

/* Returns whether stream n of *c has the realm of stream i of *old, and equally long ids: then it
 * knows the ids that stream i has seen. Both configurations have their keys.
 */
bool kept_is_realm(const struct dedup_config *old, uint32_t i, const struct dedup_config *c,
		   uint32_t n);

/* Returns whether stream n of *c knows the ids that it has seen in *old: it is kept, and in its
 * realm. Both configurations have their keys.
 */
bool kept_knows_its_own(const struct dedup_config *old, const struct dedup_config *c, uint32_t n);

/* Returns the number of the stream with this slot; -1 if there is none. */
int kept_of_slot(const struct dedup_config *c, uint32_t slot);

/* Gives slots to the streams of *c, whose serial number is set: kept streams keep those of *old,
 * and others get slots that no stream has had.
 */
void kept_slots(const struct dedup_config *old, struct dedup_config *c);
