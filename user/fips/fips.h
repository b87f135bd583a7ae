/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The Bloom filters of FIPS, and their announcement on the wire. Integers only; pure.
 * The bits of an item are h(i) = h1 + i * h2 modulo the filter's size (include/positions.h). Bit i
 * is bit i & 7 of byte i >> 3. An inserted item is always found; another one seldom.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bits.h"
#include "positions.h"

#define FIPS_ITEM_BYTES 16
#define FIPS_SIZE_CLASS_MAX 3
#define FIPS_V1_SIZE_CLASS 1 /* the only one of v1 */
#define FIPS_V1_HASHES 5

#define FIPS_BYTES(size_class) (512u << (size_class))
#define FIPS_BITS(size_class) (8 * FIPS_BYTES(size_class))

#define FIPS_MSG_TYPE 0x20
#define FIPS_HEADER_BYTES 11
#define FIPS_V1_MSG_BYTES (FIPS_HEADER_BYTES + FIPS_BYTES(FIPS_V1_SIZE_CLASS))

struct fips_item {
	uint8_t byte[FIPS_ITEM_BYTES]; /* a node_addr */
};

struct fips_filter {
	uint8_t hash_count;				 /* 1 to DEDUP_HASHES_MAX */
	uint8_t size_class;				 /* 0 to FIPS_SIZE_CLASS_MAX */
	__u64 word[FIPS_BYTES(FIPS_SIZE_CLASS_MAX) / 8]; /* the first FIPS_BYTES(size_class) count */
};

/* Why an announcement is refused: X(name, sentence). fips_decode() returns those up to too_long; a
 * node (fips_peers.c) adds the others. Append only.
 */
#define FIPS_REFUSALS(X)                                            \
	X(empty, "no bytes at all")                                 \
	X(type, "not a FilterAnnounce")                             \
	X(header, "ends within its header or right behind it")      \
	X(hash_count, "hash_count is 0 or more than 32")            \
	X(size_class, "size_class is not 1, which v1 demands")      \
	X(too_short, "fewer filter bytes than its size_class says") \
	X(too_long, "more filter bytes than its size_class says")   \
	X(other_hashes, "hash_count is not the node's: no merging") \
	X(stale, "sequence is not above the last one accepted")     \
	X(too_full, "more bits are set than the node believes of a peer")

enum fips_refusal {
	FIPS_ACCEPTED,
#define X(name, text) FIPS_REFUSED_##name,
	FIPS_REFUSALS(X)
#undef X
		FIPS_REFUSALS_END,
};

/* Returns the sentence of FIPS_REFUSALS; "accepted" for FIPS_ACCEPTED, "?" for any other number. */
const char *fips_refusal_text(enum fips_refusal refusal);

/* Makes *f an empty filter. Returns 0; or -EINVAL, and leaves *f unchanged, if a number is out of
 * its range.
 */
int fips_init(struct fips_filter *f, uint32_t hash_count, uint32_t size_class);

void fips_insert(struct fips_filter *f, const struct fips_item *item);

/* Looks an item up in two steps, so that it is hashed once for many filters with equal parameters,
 * which must be in their ranges. fips_holds() returns true if the item may be in the filter, false
 * if it is not.
 */
void fips_locate(struct dedup_positions *p, const struct fips_item *item, uint32_t hash_count,
		 uint32_t size_class);
bool fips_holds(const struct fips_filter *f, const struct dedup_positions *p);

/* Returns whether both have equal parameters and equal bits. */
bool fips_equal(const struct fips_filter *a, const struct fips_filter *b);

uint32_t fips_set_bits(const struct fips_filter *f);

/* Writes a FilterAnnounce: FIPS_MSG_TYPE, the sequence (64 bits, little-endian), hash_count,
 * size_class, the bits. Returns FIPS_V1_MSG_BYTES; or writes nothing, and returns -EINVAL if the
 * filter is not of v1's class, -ENOSPC if size is less.
 */
int fips_encode(const struct fips_filter *f, uint64_t sequence, uint8_t *buffer, size_t size);

/* Reads a FilterAnnounce of exactly len bytes. If it is refused, returns the first reason of the
 * list that applies, and leaves *f and *sequence unchanged.
 */
enum fips_refusal fips_decode(const uint8_t *msg, size_t len, struct fips_filter *f,
			      uint64_t *sequence);
