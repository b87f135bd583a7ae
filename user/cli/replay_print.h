/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What replay found, for people and for programs, on stdout. */
#ifndef XDP_DEDUP_REPLAY_PRINT_H
#define XDP_DEDUP_REPLAY_PRINT_H

#include "replay.h"

#define REPLAY_TOP 5 /* sources that are shown */

/* `path` and `c` are the capture, `complete` says whether it was read to its end. */
void replay_print_text(const char *path, const struct capture *c, const struct dedup_config *cfg,
		       const struct replay_result *r);
void replay_print_json(const char *path, const struct capture *c, const struct dedup_config *cfg,
		       const struct replay_result *r, bool complete);

#endif
