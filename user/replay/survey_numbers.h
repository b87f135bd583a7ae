/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbers of numbered streams in the survey. A number that repeats after the numbers have wrapped
 * is no duplicate. So the survey counts each sender's rounds by the filter's rules: a number is the
 * one nearest to the highest number so far (include/numbering.h), and numbering restarts after the
 * stream's `reset`. Senders are in the table of ids, which limits their memory.
 */
#ifndef XDP_DEDUP_SURVEY_NUMBERS_H
#define XDP_DEDUP_SURVEY_NUMBERS_H

#include "program.h"
#include "survey_state.h"

/* Returns whether the stream is numbered. */
bool survey_numbers_is(const struct survey *s, uint32_t stream);

/* Sets at->sender and at->number of a packet with this id; the stream is numbered. */
void survey_numbers_read(const struct survey *s, const struct program_id *id,
			 struct survey_lookup *at);

/* Finds the sender of a packet whose at->content is set, and notes the packet. Senders with equal
 * names at two destinations are one sender if a packet with equal bytes arrived at both. Sets
 * at->key to the number's key in the table of ids, and at->round and at->is_late. Returns 0, or
 * -ENOMEM.
 */
int survey_numbers_note(struct survey *s, const struct survey_packet *seen, struct survey_lookup *at);

#endif
