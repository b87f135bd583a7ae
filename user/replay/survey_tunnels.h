/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which tunnels a survey's frames are in. */
#ifndef XDP_DEDUP_SURVEY_TUNNELS_H
#define XDP_DEDUP_SURVEY_TUNNELS_H

#include "inside.h"
#include "survey_result.h"

/* Counts a frame, of which `inside` is what inside_open() has found, by its tunnels' kinds. `kind`:
 * the inner packet's.
 */
void survey_tunnels_note(struct survey_tunnel tunnels[DEDUP_TUNNELS_CNT],
			 const struct capture_frame *f, const struct inside *inside,
			 enum survey_kind kind);

#endif
