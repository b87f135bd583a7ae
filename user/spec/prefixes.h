/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Converts lists of destination addresses from text to the form of the packet path, and back. */
#pragma once

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "config.h"

#define PREFIX_TEXT_MAX (INET6_ADDRSTRLEN + 4) /* ADDRESS/LEN with its terminating 0 */

/* Parses a list such as "10.0.0.0/8,2001:db8::1" to *cnt prefixes in network order, of which the
 * first *cnt4 are of IPv4. `out` has room for DEDUP_TO_MAX. An address without a length is a prefix
 * of full length; bits beyond the length are cleared. IPv4-mapped IPv6 (::ffff:a.b.c.d) becomes
 * IPv4. Returns 0; or, without writing anything, -EINVAL (wrong form), -EDOM (a mapped prefix that
 * is shorter than /96) or -E2BIG (too many).
 */
int parse_prefixes(const char *text, struct dedup_prefix *out, uint32_t *cnt, uint32_t *cnt4);

/* Writes a prefix in the form of parse_prefixes(). Returns buf. */
const char *format_prefix(const struct dedup_prefix *p, bool ipv4, char buf[PREFIX_TEXT_MAX]);

/* Returns the text in a buffer that lives until the end of the enclosing block. */
#define FORMAT_PREFIX(p, ipv4) format_prefix(p, ipv4, (char[PREFIX_TEXT_MAX]){ 0 })
