/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Numbered streams whose profile reads other bytes than the numbers, or reads them in the other
 * byte order. Pure.
 */
#pragma once

#include <stdbool.h>

#include "replay.h"

/* Returns whether most packets of stream n are far_number, bad_count or unlearned. */
bool misread_is(const struct dedup_config *cfg, const struct replay_result *r, uint32_t n);

/* Makes the misread streams read number and count in the other byte order. Returns whether there
 * are any whose number has several bytes.
 */
bool misread_reverse(struct dedup_config *cfg, const struct replay_result *r);

/* Fills in r->other from *other, the results in the other byte order, if these have more copies. */
void misread_compare(const struct dedup_config *cfg, struct replay_result *r,
		     const struct replay_result *other);
