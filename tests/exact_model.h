/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What each layout and each scheme is to do, said plainly and a second time: arrays with
 * a number a bit or cell, loops over all of them, the textbooks' hashes. Nothing here is
 * shared with the filter's own code, nothing is fast, and nothing runs at the same time.
 */
#ifndef XDP_DEDUP_TESTS_EXACT_MODEL_H
#define XDP_DEDUP_TESTS_EXACT_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "packet.h"

#define EXACT_PROBES_MAX 32

struct exact {
	const struct dedup_config *cfg;
	uint32_t size;		     /* bits of an array, or cells */
	uint8_t *current, *previous; /* blocked, flat: a byte a bit */
	uint32_t *left;		     /* countdown: of each cell */
};

/* Empty. The caller calls exact_stop(), and keeps cfg that long. */
void exact_start(struct exact *m, const struct dedup_config *cfg);
void exact_stop(struct exact *m);

/* Is the id known? The all-zero id never is. */
bool exact_test(const struct exact *m, const struct id *id);

/* What a packet does: 1 if it was new and is known now, 0 if it was known, -EINVAL for the
 * all-zero id. There is always room.
 */
int exact_see(struct exact *m, const struct id *id);

/* The same, but in countdown a known id is set to the maximum again. */
int exact_add(struct exact *m, const struct id *id);

/* Countdown: 1 if it was known, 0 if not; from now on it is not. -EINVAL as above. */
int exact_remove(struct exact *m, const struct id *id);

/* A generation ends; countdown: one off every cell. */
void exact_rotate(struct exact *m);
void exact_reset(struct exact *m);

/* Bits set in the current array, cells above 0. */
uint32_t exact_set(const struct exact *m);

/* The id's k places. blocked: bit 64 * w + b of block n's half is n * 256 + 64 * w + b. */
uint32_t exact_positions(const struct dedup_config *cfg, const struct id *id,
			 uint32_t at[EXACT_PROBES_MAX]);

/* The same of an id of cfg->id_bytes bytes. */
uint32_t exact_positions_of(const struct dedup_config *cfg, const uint8_t *id,
			    uint32_t at[EXACT_PROBES_MAX]);

/* A fresh id that has so many places in common with this one. */
struct id exact_id_sharing(const struct dedup_config *cfg, const struct id *id, uint32_t places);

/* Of a message of any length (FIPS 180-4). */
void exact_sha256(const void *bytes, size_t len, uint8_t digest[32]);

/* FNV-1a, 64 bits, likewise. */
uint64_t exact_fnv1a(const void *bytes, size_t len);

#endif
