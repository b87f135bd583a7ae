/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The links of a filter during a change (live_exchange.h). Every function can be repeated. Failures
 * are logged.
 */
#ifndef XDP_DEDUP_LINKS_EXCHANGE_H
#define XDP_DEDUP_LINKS_EXCHANGE_H

#include "live_exchange.h"

/* Before the commit: pins the links of NAME that stay in +NAME, too. Makes links with a program
 * that passes all packets for interfaces that are added. Returns 0, or -errno.
 */
int links_prepare(struct pair *p, const struct wanted_ifaces *ifaces);

/* After the commit: each interface of NAME's record runs NAME's program, and none runs that of
 * +NAME. *ret_err is 0 then; else the -errno of an interface that runs the program of +NAME.
 * Returns 0; or the -errno of a shared interface that could not be attached: it runs nothing, and
 * is off the record.
 */
int links_exchange(struct pair *p, int *ret_err);

/* Begins to detach (detach.h) the links that this directory has, but not those that the directory
 * `keeper` has, too, if it is not NULL. Goes on after a failure. Returns 0, or -errno.
 */
int links_take_off(const char *directory, const char *keeper);

/* Attaches the filter's program, open as prog_fd, to the interface of this entry of its record. For
 * a shared interface libxdp loads the program again. Returns 0, or -errno.
 */
int links_attach(const char *name, struct dedup_iface *entry, int prog_fd);

#endif
