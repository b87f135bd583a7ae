/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Notes a packet's ids for the survey: which are new, which are duplicates, and of which kind. */
#ifndef XDP_DEDUP_SURVEY_NOTE_H
#define XDP_DEDUP_SURVEY_NOTE_H

#include "survey_state.h"

#define SURVEY_MARK_BYTES 16 /* what is remembered with an id, in its entry (id_table.h) */

/* Notes all ids: the packet's and the payload's first, as the others depend on them. Returns 0, or
 * -ENOMEM.
 */
int survey_note_ids(struct survey *s, struct seen *seen, struct survey_lookup *ids, int cnt);

/* Notes a frame that is not IP: whether it is identical to an earlier one. Returns 0, or -ENOMEM.
 */
int survey_note_frame(struct survey *s, const struct seen *seen);

#endif
