/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Known drivers, and limits of their XDP that they do not report. `make test-drivers` found them;
 * tests/drivers/README.md has its results.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct driver {
	const char *name; /* ethtool -i; NULL: any other driver */
	int mtu;	  /* the largest MTU with which a packet fits one buffer; 0: one page */
	int old_mtu;	  /* the largest MTU before Linux 6.3, where it has no frags; 0: it has */
	bool is_new;	  /* it has native XDP only on kernels that report its features */
	bool drops_lro;	  /* it turns LRO off for XDP; other drivers refuse XDP then */
	const char *turns_off;	    /* an offload that it turns off for native XDP; NULL: none */
	const char *zerocopy_needs; /* a condition of zero-copy; NULL: none */
	const char *note;	    /* a surprise, for users; NULL: none */
	const char *advice;	    /* NULL: none */
};

/* Returns the row of this driver, or the row for all other drivers. */
const struct driver *driver_of(const char *name);

/* Is it certain that the driver has no native XDP on this interface, because the offload
 * `turns_off` is fixed on?
 */
bool driver_is_fixed(const struct driver *d, const char *ifname);

/* Reads the XDP features that the driver has on this interface. Returns what device_xdp_features()
 * returns; 0, without features, also if it is certain that there are none.
 */
int driver_xdp_features(int ifindex, uint64_t *features);

/* Is it certain that the driver has no native XDP of packets in several buffers on this interface? */
bool driver_lacks_frags(const struct driver *d, int ifindex);

/* Returns the largest MTU, in bytes, with which a packet fits one buffer. */
int driver_one_buffer_mtu(const struct driver *d);

/* Returns the largest MTU, in bytes, with which the driver takes a program on this interface; 0: no
 * limit is known.
 */
int driver_native_mtu(const struct driver *d, int ifindex);
