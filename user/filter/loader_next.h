/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Filters that have a predecessor from the beginning: for loader.c. */
#ifndef XDP_DEDUP_LOADER_NEXT_H
#define XDP_DEDUP_LOADER_NEXT_H

#include "config.h"

/* Makes NAME, whose predecessor is ~NAME. 0; or -errno, which is said, and then nothing is made. */
int next_create(const char *name, const struct dedup_config *cfg);

#endif
