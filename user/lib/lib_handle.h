/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of a filter that an application has opened. */
#ifndef XDP_DEDUP_LIB_HANDLE_H
#define XDP_DEDUP_LIB_HANDLE_H

#include <pthread.h>
#include <stdbool.h>

#include "pins.h"
#include "fips_heard.h"

struct xdp_dedup_filter {
	struct filter filter;
	int64_t clock_offset_ns;   /* of clock_measure_offset() */
	pthread_mutex_t absorbing; /* held while a FIPS message is absorbed; guards `heard` */
	struct fips_heard heard;
};

/* Has the hand stopped, which is the window's clock? Then the filter says nothing about ids. */
bool lib_is_stopped(const struct xdp_dedup_filter *f);

#endif
