/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The links of a filter during a change (live_exchange.h). Every function can be repeated. Failures
 * are logged.
 */
#pragma once

#include "live_exchange.h"

/* Prepares the commit: pins the links of NAME that stay in +NAME, too. For added interfaces it
 * makes links whose program passes all packets. Returns 0, or -errno.
 */
int links_prepare(struct pair *p, const struct requested_ifaces *ifaces);

/* Follows the commit: gives each interface of NAME's record the program of NAME, and detaches that
 * of +NAME from all others. *ret_err is 0, or the -errno of an interface that still runs the
 * program of +NAME. Returns 0; or -EIO if a shared interface could not be attached: no program of
 * the filter runs there, and the record no longer has it.
 */
int links_exchange(struct pair *p, int *ret_err);

/* Calls detach_begin() for the links of this directory, except for those that the directory
 * `keeper` (or NULL) also has, and detaches its program from shared interfaces here. Continues
 * after a failure. Returns 0, or -errno.
 */
int links_begin_detach(const char *directory, const char *keeper);

/* Attaches this program to the entry's interface. directory: NAME or +NAME, whose record has the
 * entry. See share_attach(). Returns 0, or -errno.
 */
int links_attach(const char *directory, struct dedup_iface *entry, int prog_fd);
