/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists of destination addresses: from the text that people write to what the packet path compares,
 * and back.
 */
#ifndef XDP_DEDUP_PREFIXES_H
#define XDP_DEDUP_PREFIXES_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include "config.h"

#define PREFIX_TEXT_MAX (INET6_ADDRSTRLEN + 4) /* ADDRESS/LEN with its terminating 0 */

/* "10.0.0.0/8,2001:db8::1" → *cnt prefixes in network order, of which the first *cnt4 are of IPv4.
 * `out` has room for DEDUP_TO_MAX. An address without a length is a prefix of full length; bits
 * beyond the length are cleared. IPv4-mapped IPv6 (::ffff:a.b.c.d) becomes IPv4. 0; or -EINVAL (not
 * of the form), -EDOM (a mapped prefix that is shorter than /96) or -E2BIG (too many), and nothing
 * is written.
 */
int parse_prefixes(const char *text, struct dedup_prefix *out, uint32_t *cnt, uint32_t *cnt4);

/* Writes it as parse_prefixes() takes it; returns buf. */
const char *format_prefix(const struct dedup_prefix *p, bool ipv4, char buf[PREFIX_TEXT_MAX]);

/* Returns it in a buffer that lives until the end of the enclosing block. */
#define FORMAT_PREFIX(p, ipv4) format_prefix(p, ipv4, (char[PREFIX_TEXT_MAX]){ 0 })

#endif
