/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests another copy of an event that is missing though the filter knows its id. How it works:
 * include/wanted.h.
 */
#pragma once

#include <stdint.h>

#include "open_filter.h"

/* Lets the next EVENT of a known id (in the form of ids.h) pass, once, if it comes within a
 * window. Returns 1 if the id is known, and is wanted from now on; 0 if it is not known, so its
 * next EVENT passes anyway; -EINVAL for the all-zero id; -ENOSPC if DEDUP_WANTED_MAX ids are
 * wanted already; -ESTALE if the hand stopped while it walked through the wanted ids; another
 * -errno of the kernel.
 */
int want_id(struct filter *f, const uint8_t *id);

/* Wants an id of stream n in the packet program's form, even if it is not known. Returns what
 * want_id() does, but never 0.
 */
int want_key(struct filter *f, const struct dedup_id *id, uint32_t n);

/* Withdraws a want. Returns 0; -ENOENT if the id is not wanted; another -errno of the kernel. */
int want_withdraw(struct filter *f, const struct dedup_id *id, uint32_t n);

#define WANT_RING_MAX 1024 /* of DEDUP_WANTED_MAX in the map */

/* Wants of one process: a newer one displaces the oldest. So they never fill the filter's map, in
 * which others have wants, too. Begins as { 0 }.
 */
struct want_ring {
	uint64_t cnt; /* of all wants so far */
	struct want_ring_entry {
		struct dedup_id id;
		uint32_t n; /* its stream */
	} entries[WANT_RING_MAX];
};

/* Does what want_key() does, and withdraws the oldest want if there are too many. */
int want_ring_add(struct want_ring *r, struct filter *f, const struct dedup_id *id, uint32_t n);
