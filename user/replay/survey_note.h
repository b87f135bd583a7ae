/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Notes a packet's ids for the survey: whether they are new, and the kinds of duplicates. */
#ifndef XDP_DEDUP_SURVEY_NOTE_H
#define XDP_DEDUP_SURVEY_NOTE_H

#include "survey_state.h"

#define SURVEY_MARK_BYTES 16 /* the survey's data in an id's entry (id_table.h) */

/* Notes all ids, those of packet and payload first: others depend on them. Returns 0 or -ENOMEM. */
int survey_note_ids(struct survey *s, struct survey_packet *seen, struct survey_lookup *ids, int cnt);

/* Notes a frame that is not IP: whether it is identical to an earlier one. Returns 0, or -ENOMEM.
 */
int survey_note_frame(struct survey *s, struct survey_packet *seen);

#endif
