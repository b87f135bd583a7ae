/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The network namespace of this process. Nothing here logs. */
#ifndef XDP_DEDUP_HERE_H
#define XDP_DEDUP_HERE_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* Returns the cookie of this process's network namespace: a number that the kernel never gives to
 * another namespace. 0 if it is unknown.
 */
uint64_t here_netns(void);

/* Is this entry of a filter's record an interface of this process's network namespace? False if
 * that is unknown, or if the entry is empty.
 */
bool here_has(const struct dedup_iface *iface);

/* Is this the entry's name? */
bool here_is_named(const struct dedup_iface *iface, const char *ifname);

/* Writes the entry's name as it can be shown (text.h). */
void here_name(const struct dedup_iface *iface, char name[IF_NAMESIZE]);

#endif
