// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "fips_live.h"
#include "lib_handle.h"
#include "open_filter.h"
#include "xdp-dedup-fips.h"

static int absorb(struct xdp_dedup_filter *f, struct filter *now, uint64_t peer,
		  const struct fips_filter *theirs, uint64_t sequence, double fpr_max)
{
	int err = fips_heard_reserve(&f->heard);

	if (err)
		return err;
	if (!fips_heard_is_new(&f->heard, peer, sequence))
		return -EALREADY;
	err = fips_live_absorb(now, theirs, fpr_max);
	if (!err)
		fips_heard_put(&f->heard, peer, sequence);
	return err;
}

/* xdp_dedup_fips_absorb(), in the filter as it is now. */
static int check_and_absorb(struct xdp_dedup_filter *f, struct filter *now, uint64_t peer,
			    const void *msg, size_t len, double fpr_max)
{
	struct fips_filter theirs;
	uint64_t sequence;
	int err = fips_live_check(now);

	if (err)
		return err;
	if (lib_is_stopped(f, now))
		return -ESTALE;
	if (fips_decode(msg, len, &theirs, &sequence) || theirs.hash_count != now->config->memory.k)
		return -EBADMSG;
	pthread_mutex_lock(&f->absorbing);
	err = absorb(f, now, peer, &theirs, sequence, fpr_max);
	pthread_mutex_unlock(&f->absorbing);
	return err;
}

int xdp_dedup_fips_absorb(struct xdp_dedup_filter *f, uint64_t peer, const void *msg, size_t len,
			  double fpr_max)
{
	struct filter *now = lib_enter(f);
	int err = now ? check_and_absorb(f, now, peer, msg, len, fpr_max) : -ESTALE;

	if (now)
		lib_leave();
	return err;
}

void xdp_dedup_fips_forget(struct xdp_dedup_filter *f, uint64_t peer)
{
	pthread_mutex_lock(&f->absorbing);
	fips_heard_forget(&f->heard, peer);
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
