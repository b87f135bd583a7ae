/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text that people write and read, to and from numbers. Nothing here prints. */
#ifndef XDP_DEDUP_UNITS_H
#define XDP_DEDUP_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"

/* All parsers take the whole text or nothing: 0, or -EINVAL (not of the form) or
 * -ERANGE (of the form, but out of range) and *out as it was.
 */

/* "250k" → 250000. Decimal K, M, G; a fraction ("1.5M") if the result is whole. */
int parse_count(const char *text, uint64_t *out);

/* "10m" → nanoseconds. Units ms, s, m, h, d; none but 0 is allowed without. */
int parse_time(const char *text, uint64_t *out_ns);

/* "1e-4" → a rate from 1e-18 to below 1. */
int parse_rate(const char *text, double *out);

/* "8001,9000-9010" → sorted ranges, those that touch joined. *cnt is at most
 * DEDUP_PORTS_MAX, else -E2BIG.
 */
int parse_ports(const char *text, struct dedup_ports *out, uint32_t *cnt);

/* An id of so many bytes (up to DEDUP_ID_BYTES_MAX) in hex, either case. */
int parse_id(const char *text, uint8_t *out, uint32_t bytes);

#define PORTS_TEXT_MAX (12 * DEDUP_PORTS_MAX) /* "65534-65535," each */

/* What people read; each returns buf, which 32 bytes suffice for, PORTS_TEXT_MAX for ports. */
const char *format_bytes(uint64_t bytes, char *buf, size_t size); /* "7.1 MB" (decimal) */
const char *format_time(uint64_t ns, char *buf, size_t size);	  /* "10m", "1h 30m", "250ms" */
const char *format_ports(const struct dedup_ports *ports, uint32_t cnt, char *buf, size_t size);

#endif
