/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of destinations as people write them, to and from what the packet path compares. */
#ifndef XDP_DEDUP_PREFIXES_H
#define XDP_DEDUP_PREFIXES_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"

#define PREFIX_TEXT_MAX (INET6_ADDRSTRLEN + 4) /* with its length and a 0 */

/* "10.0.0.0/8,2001:db8::1" → at most DEDUP_TO_MAX prefixes, the *cnt4 of IPv4 first. Without
 * a length an address is itself; bits beyond the length are cleared. IPv4-mapped
 * addresses and prefixes are IPv4's. -EINVAL (not of the form), -EDOM (such a prefix is shorter
 * than /96) or -E2BIG, and nothing written.
 */
int parse_prefixes(const char *text, struct dedup_prefix *out, uint32_t *cnt, uint32_t *cnt4);

/* As parse_prefixes takes it; returns buf. */
const char *format_prefix(const struct dedup_prefix *p, bool ipv4, char buf[PREFIX_TEXT_MAX]);

#endif
