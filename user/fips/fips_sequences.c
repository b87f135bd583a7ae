// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fips_sequences.h"

#include <errno.h>
#include <stdlib.h>

static struct fips_last *find_last(const struct fips_sequences *h, uint64_t peer)
{
	for (size_t i = 0; i < h->cnt; i++)
		if (h->last[i].peer == peer)
			return &h->last[i];
	return NULL;
}

int fips_sequences_reserve(struct fips_sequences *h)
{
	struct fips_last *last = reallocarray(h->last, h->cnt + 1, sizeof(*last));

	if (!last)
		return -ENOMEM;
	h->last = last;
	return 0;
}

bool fips_sequences_is_new(const struct fips_sequences *h, uint64_t peer, uint64_t sequence)
{
	const struct fips_last *last = find_last(h, peer);

	return !last || sequence > last->sequence;
}

void fips_sequences_put(struct fips_sequences *h, uint64_t peer, uint64_t sequence)
{
	struct fips_last *last = find_last(h, peer);

	if (!last)
		last = &h->last[h->cnt++];
	*last = (struct fips_last){ peer, sequence };
}

void fips_sequences_forget(struct fips_sequences *h, uint64_t peer)
{
	struct fips_last *last = find_last(h, peer);

	if (last)
		*last = h->last[--h->cnt];
}

void fips_sequences_free(struct fips_sequences *h)
{
	free(h->last);
	*h = (struct fips_sequences){ 0 };
}
