/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which network namespace this process is in. Logs nothing. */
#ifndef XDP_DEDUP_HERE_H
#define XDP_DEDUP_HERE_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* The cookie of this process's network namespace: a number that the kernel never gives to another
 * one. 0 if it cannot be told.
 */
uint64_t here_netns(void);

/* Is this entry of a filter's record an interface of this process's network namespace? No if that
 * cannot be told, or the entry is empty.
 */
bool here_has(const struct dedup_iface *iface);

/* Is any of the entries of a record? */
bool here_has_any(const struct dedup_iface ifaces[DEDUP_IFACES_MAX]);

/* The record is memory that others may write, and a name in it may lack its end: these two read it.
 * Is this the entry's name? And the name as it can be shown (text.h).
 */
bool here_is_named(const struct dedup_iface *iface, const char *ifname);
void here_name(const struct dedup_iface *iface, char name[IF_NAMESIZE]);

#endif
