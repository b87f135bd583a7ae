// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fips.h"

#include <errno.h>
#include <string.h>

const char *fips_refusal_text(enum fips_refusal refusal)
{
	static const char *const TEXTS[] = { "accepted",
#define X(name, text) text,
					     FIPS_REFUSALS(X)
#undef X
	};

	return refusal < FIPS_REFUSALS_END ? TEXTS[refusal] : "?";
}

int fips_init(struct fips_filter *f, uint32_t hash_count, uint32_t size_class)
{
	if (hash_count < 1 || hash_count > DEDUP_HASHES_MAX || size_class > FIPS_SIZE_CLASS_MAX)
		return -EINVAL;
	*f = (struct fips_filter){ .hash_count = hash_count, .size_class = size_class };
	return 0;
}

void fips_locate(struct dedup_positions *p, const struct fips_item *item, uint32_t hash_count,
		 uint32_t size_class)
{
	struct dedup_id id = { 0 };

	memcpy(id.byte, item->byte, sizeof(item->byte));
	dedup_positions_fips(p, &id, sizeof(item->byte), FIPS_BITS(size_class), hash_count);
}

bool fips_holds(const struct fips_filter *f, const struct dedup_positions *p)
{
	for (uint32_t i = 0; i < f->hash_count; i++)
		if (!dedup_bits_test(f->word, p->index[i]))
			return false;
	return true;
}

void fips_insert(struct fips_filter *f, const struct fips_item *item)
{
	struct dedup_positions p;

	fips_locate(&p, item, f->hash_count, f->size_class);
	for (uint32_t i = 0; i < f->hash_count; i++)
		dedup_bits_set(f->word, p.index[i]);
}

bool fips_equal(const struct fips_filter *a, const struct fips_filter *b)
{
	return a->hash_count == b->hash_count && a->size_class == b->size_class &&
	       !memcmp(a->word, b->word, FIPS_BYTES(a->size_class));
}

uint32_t fips_set_bits(const struct fips_filter *f)
{
	return dedup_bits_count(f->word, FIPS_BITS(f->size_class));
}

int fips_encode(const struct fips_filter *f, uint64_t sequence, uint8_t *buffer, size_t size)
{
	if (f->size_class != FIPS_V1_SIZE_CLASS)
		return -EINVAL;
	if (size < FIPS_V1_MSG_BYTES)
		return -ENOSPC;
	buffer[0] = FIPS_MSG_TYPE;
	for (int i = 0; i < 8; i++)
		buffer[1 + i] = sequence >> (8 * i);
	buffer[9] = f->hash_count;
	buffer[10] = f->size_class;
	memcpy(buffer + FIPS_HEADER_BYTES, f->word, FIPS_BYTES(f->size_class));
	return FIPS_V1_MSG_BYTES;
}

static enum fips_refusal refuse_message(const uint8_t *msg, size_t len)
{
	if (!len)
		return FIPS_REFUSED_empty;
	if (msg[0] != FIPS_MSG_TYPE)
		return FIPS_REFUSED_type;
	if (len <= FIPS_HEADER_BYTES)
		return FIPS_REFUSED_header;
	/* Without hashes a filter would hold everything. */
	if (msg[9] < 1 || msg[9] > DEDUP_HASHES_MAX)
		return FIPS_REFUSED_hash_count;
	if (msg[10] != FIPS_V1_SIZE_CLASS)
		return FIPS_REFUSED_size_class;
	if (len < FIPS_V1_MSG_BYTES)
		return FIPS_REFUSED_too_short;
	if (len > FIPS_V1_MSG_BYTES)
		return FIPS_REFUSED_too_long;
	return FIPS_ACCEPTED;
}

enum fips_refusal fips_decode(const uint8_t *msg, size_t len, struct fips_filter *f,
			      uint64_t *sequence)
{
	enum fips_refusal why = refuse_message(msg, len);

	if (why)
		return why;
	fips_init(f, msg[9], msg[10]);
	memcpy(f->word, msg + FIPS_HEADER_BYTES, FIPS_BYTES(FIPS_V1_SIZE_CLASS));
	*sequence = 0;
	for (int i = 0; i < 8; i++)
		*sequence |= (uint64_t)msg[1 + i] << (8 * i);
	return FIPS_ACCEPTED;
}
