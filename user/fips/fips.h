/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The Bloom filters of FIPS, and their announcement on the wire. Integers only; pure.
 * An item is at h(i) = h1 + i * h2 modulo the filter's bits (include/positions.h), bit i
 * is bit i & 7 of byte i >> 3. What is inserted is never denied; what was not, seldom.
 */
#ifndef XDP_DEDUP_FIPS_H
#define XDP_DEDUP_FIPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bits.h"
#include "positions.h"

#define FIPS_ITEM_BYTES 16
#define FIPS_SIZE_CLASS_MAX 3
#define FIPS_V1_SIZE_CLASS 1 /* v1 sends and takes no other */
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

/* Why an announcement is refused: X(name, sentence). fips_decode() finds those up to too_long, a
 * node (fips_peers.c) the others. Append only.
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

/* The sentence of FIPS_REFUSALS; "accepted" for FIPS_ACCEPTED, "?" for any other number. */
const char *fips_refusal_text(enum fips_refusal refusal);

/* Makes *f an empty filter. 0; -EINVAL, and *f is as it was, if either number is out of its range.
 */
int fips_init(struct fips_filter *f, uint32_t hash_count, uint32_t size_class);

void fips_insert(struct fips_filter *f, const struct fips_item *item);

/* Is an item in the filter? true: maybe; false: certainly not. In two steps, so that the item is
 * hashed once for many filters with equal parameters, which are in their ranges.
 */
void fips_locate(struct dedup_positions *p, const struct fips_item *item, uint32_t hash_count,
		 uint32_t size_class);
bool fips_holds(const struct fips_filter *f, const struct dedup_positions *p);

/* Have both equal parameters and equal bits? */
bool fips_equal(const struct fips_filter *a, const struct fips_filter *b);

uint32_t fips_set_bits(const struct fips_filter *f);

/* Writes a FilterAnnounce: FIPS_MSG_TYPE, the sequence (64 bits, little-endian),
 * hash_count, size_class, the bits. Returns its FIPS_V1_MSG_BYTES; -EINVAL if the filter
 * is not of v1's class, -ENOSPC if size is less, and then nothing is written.
 */
int fips_encode(const struct fips_filter *f, uint64_t sequence, uint8_t *buffer, size_t size);

/* Reads a FilterAnnounce of exactly len bytes. If it is refused, returns the first reason that
 * applies, in the list's order, and *f and *sequence are as they were.
 */
enum fips_refusal fips_decode(const uint8_t *msg, size_t len, struct fips_filter *f,
			      uint64_t *sequence);

#endif
