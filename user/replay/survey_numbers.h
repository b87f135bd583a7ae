/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers of numbered streams in the survey. A number comes again each time that the numbers have
 * gone round: that is no duplicate. So the survey counts each sender's rounds, by the filter's
 * rules: a number is the one nearest to the highest that came (include/numbering.h), and numbers
 * begin anew after the stream's `reset`. Senders are kept in the table of ids, which bounds them.
 */
#ifndef XDP_DEDUP_SURVEY_NUMBERS_H
#define XDP_DEDUP_SURVEY_NUMBERS_H

#include "program.h"
#include "survey_state.h"

/* Is the stream numbered? */
bool survey_numbers_is(const struct survey *s, uint32_t stream);

/* Sets at->sender and at->number of a packet with this id, of a numbered stream. */
void survey_numbers_read(const struct survey *s, const struct program_id *id,
			 struct survey_lookup *at);

/* Finds the sender of a packet whose at->content is set, and notes the packet's arrival. Senders
 * with equal names at two destinations are one if a packet with equal bytes came to both. Sets
 * at->key to the number's, for the table of ids, and at->round and at->is_late. Returns 0, or
 * -ENOMEM.
 */
int survey_numbers_note(struct survey *s, const struct seen *seen, struct survey_lookup *at);

#endif
