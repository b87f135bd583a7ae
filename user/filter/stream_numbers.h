/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tests and learns numbers of numbered streams (include/source_table.h) in a live filter from user
 * space: in the mapped memory, without a system call, while packets use it. An id is a source and a
 * number, as stream_make_id() makes it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "open_filter.h"

/* Returns whether f->stream is numbered. */
bool numbers_is_numbered(const struct filter *f);

/* Returns whether *f, without its predecessor, knows the number. */
bool numbers_test(const struct filter *f, const uint8_t *id);

/* Learns the number of one message. Returns 1 if it was known; 0 if it was fresh, and is learned;
 * -ENOENT if no packet of this source arrived within its reset time, as only packets begin sources
 * and numberings; -ERANGE if the number is older than the history, or far from the source's others.
 */
int numbers_see(struct filter *f, const uint8_t *id);

/* Forgets the number. Returns 1 if it was known, 0 if not. */
int numbers_remove(struct filter *f, const uint8_t *id);

/* Returns how many sources are known now. */
uint32_t numbers_sources(const struct filter *f);
