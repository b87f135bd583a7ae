/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An interface in a filter's record: is it in the network namespace of this process? Logs nothing. */
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "config.h"

/* Returns the cookie of this process's network namespace: a number that the kernel never gives to
 * another namespace. 0 if it is unknown.
 */
uint64_t iface_local_netns(void);

/* Is this interface in this process's network namespace? False if that is unknown, or if the entry
 * of the record is empty.
 */
bool iface_is_local(const struct dedup_iface *iface);
