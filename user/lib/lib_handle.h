/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an application's filter is inside the library. */
#ifndef XDP_DEDUP_LIB_HANDLE_H
#define XDP_DEDUP_LIB_HANDLE_H

#include <pthread.h>
#include <stdbool.h>

#include "pins.h"
#include "fips_heard.h"

struct xdp_dedup_filter {
	struct filter filter;
	int64_t clock_offset_ns;   /* of the kernel's clock, from this time namespace's */
	pthread_mutex_t absorbing; /* held by the one thread that absorbs; guards `heard` */
	struct fips_heard heard;
};

/* Has the window's clock stopped? */
bool lib_is_stopped(const struct xdp_dedup_filter *f);

#endif
