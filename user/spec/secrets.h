/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The secrets of a filter: of the hash, of each realm, of digests. */
#pragma once

#include "config.h"

/* Copies the secrets of `from` into *cfg, which is complete except for its secrets, so that ids
 * keep their positions: a realm that is kept (kept.h) keeps its key. Draws other secrets from the
 * kernel's random source, so that no two realms have one key. from: NULL to draw all. Returns 0, or
 * -errno; logs nothing.
 */
int secrets_set(const struct dedup_config *from, struct dedup_config *cfg);
