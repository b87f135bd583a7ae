/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts the tunnels of a survey's frames. */
#ifndef XDP_DEDUP_SURVEY_TUNNELS_H
#define XDP_DEDUP_SURVEY_TUNNELS_H

#include "inside.h"
#include "survey_result.h"

/* Counts a frame by its tunnels. `inside`: from inside_open(); `kind`: the inner packet's. */
void survey_tunnels_note(struct survey_tunnel tunnels[DEDUP_TUNNELS_CNT],
			 const struct capture_frame *f, const struct inside *inside,
			 enum survey_kind kind);

#endif
