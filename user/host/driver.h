/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What single drivers do with XDP that none of them says by itself. Seen by `make test-drivers`,
 * whose table of results is in the documents.
 */
#ifndef XDP_DEDUP_DRIVER_H
#define XDP_DEDUP_DRIVER_H

#include <stdbool.h>

struct driver {
	const char *name;   /* ethtool -i; NULL: any other driver */
	int mtu;	    /* the largest one whose packets take one buffer; 0: what fits a page */
	bool frags_are_new; /* it has frags only with kernels that tell features, Linux 6.3 */
	bool drops_lro;	    /* it turns LRO off for XDP; others refuse XDP */
	const char *zerocopy_needs; /* NULL: nothing */
	const char *note;	    /* what may surprise; NULL: nothing */
	const char *advice;	    /* NULL: none */
};

/* What is known of this driver, or of any other. */
const struct driver *driver_of(const char *name);

/* Has it, surely, no native XDP of packets in several buffers on this interface? */
bool driver_lacks_frags(const struct driver *d, int ifindex);

/* Bytes of the largest MTU whose packets take one buffer. */
int driver_one_buffer_mtu(const struct driver *d);

#endif
