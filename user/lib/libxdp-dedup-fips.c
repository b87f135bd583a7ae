// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "fips_live.h"
#include "lib_handle.h"
#include "open_filter.h"
#include "xdp-dedup-fips.h"

/* A decoded announcement of a peer. */
struct announcement {
	uint64_t peer, sequence;
	struct fips_filter filter;
};

static int absorb(struct xdp_dedup_filter *f, struct filter *now, const struct announcement *a,
		  double fpr_max)
{
	int err = fips_sequences_reserve(&f->sequences);

	if (err)
		return err;
	if (!fips_sequences_is_new(&f->sequences, a->peer, a->sequence))
		return -EALREADY;
	err = fips_live_absorb(now, &a->filter, fpr_max);
	if (!err)
		fips_sequences_put(&f->sequences, a->peer, a->sequence);
	return err;
}

/* Decodes an announcement for the current filter. */
static int decode(const struct xdp_dedup_filter *f, const struct filter *now, const void *msg,
		  size_t len, struct announcement *a)
{
	int err = fips_live_check(now);

	if (err)
		return err;
	if (lib_is_stopped(f, now))
		return -ESTALE;
	if (fips_decode(msg, len, &a->filter, &a->sequence) ||
	    a->filter.hash_count != now->config->memory.k)
		return -EBADMSG;
	return 0;
}

int xdp_dedup_fips_absorb(struct xdp_dedup_filter *f, uint64_t peer, const void *msg, size_t len,
			  double fpr_max)
{
	struct filter *now = lib_enter(f);
	struct announcement a = { .peer = peer };
	int err;

	if (!now)
		return -ESTALE;
	err = decode(f, now, msg, len, &a);
	if (!err) {
		pthread_mutex_lock(&f->absorbing);
		err = absorb(f, now, &a, fpr_max);
		pthread_mutex_unlock(&f->absorbing);
	}
	lib_leave();
	return err;
}

void xdp_dedup_fips_forget(struct xdp_dedup_filter *f, uint64_t peer)
{
	pthread_mutex_lock(&f->absorbing);
	fips_sequences_forget(&f->sequences, peer);
	pthread_mutex_unlock(&f->absorbing);
}

int xdp_dedup_fips_announce(const struct xdp_dedup_filter *f, uint64_t sequence, void *msg,
			    size_t size)
{
	struct fips_filter filter;
	struct filter *now = lib_enter(f);
	int err;

	if (!now)
		return -ESTALE;
	err = fips_live_filter(now, &filter);
	if (!err && lib_is_stopped(f, now))
		err = -ESTALE;
	lib_leave();
	return err ? err : fips_encode(&filter, sequence, msg, size);
}
