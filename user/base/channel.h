/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a program and xdp-dedup-metrics say to each other, over a SOCK_SEQPACKET pair: one byte,
 * an enum metrics_format, asks for the metrics as they are now; the answer is a struct
 * channel_answer, with a memfd that has the text. Answers say what they are: so one that comes
 * late, or not at all, does no harm.
 */
#ifndef XDP_DEDUP_CHANNEL_H
#define XDP_DEDUP_CHANNEL_H

#include <stdint.h>

enum metrics_format {
	METRICS_TEXT,	     /* Prometheus' text format, 0.0.4 */
	METRICS_OPENMETRICS, /* OpenMetrics 1.0 */
	METRICS_FORMATS,
};

/* Descriptors with which xdp-dedup-metrics is started. */
#define CHANNEL_LISTEN_FD 3 /* the socket that listens */
#define CHANNEL_FD 4	    /* its end of the pair */

struct channel_answer {
	uint32_t format; /* enum metrics_format */
	int32_t err;	 /* 0; or -errno, and then there is no memfd */
};

#endif
