/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parses numbers that people write, and formats numbers for people. Prints nothing. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "config.h"

/* Each parser takes the whole text. It sets *out and returns 0; or it returns -EINVAL (wrong form)
 * or -ERANGE (out of range), and leaves *out alone.
 */

/* "250k" → 250000. k or K, M, G are powers of 1000; a fraction ("1.5M") if the result is whole.
 * 0 to 2^63 - 1.
 */
int parse_count(const char *text, uint64_t *out);

/* "10m" → nanoseconds, below 2^63. The units are ms, s, m (minutes), h, d; only 0 needs none. */
int parse_time(const char *text, uint64_t *out_ns);

/* "1e-4" → a rate, at least 1e-18 and below 1. */
int parse_rate(const char *text, double *out);

/* "8001,9000-9010" → *cnt ranges of ports in host order, ascending; those that overlap or are
 * adjacent are joined. `out` has room for DEDUP_PORTS_MAX; -E2BIG if there are more.
 */
int parse_ports(const char *text, struct dedup_ports *out, uint32_t *cnt);

/* "10,20-29,none" → *cnt ranges of VLAN ids, 1 to 4094, and 0 for none, as parse_ports(); "any" → 0
 * ranges. `out` has room for DEDUP_VLANS_MAX.
 */
int parse_vlans(const char *text, struct dedup_ports *out, uint32_t *cnt);

/* Parses at most `max` bytes of two hex digits each, in upper or lower case. Returns the number of
 * bytes.
 */
int parse_hex(const char *text, uint8_t *out, size_t max);

/* "02:00:00:00:00:01" → 6 bytes; one or two hex digits each. -EINVAL. */
int parse_mac(const char *text, uint8_t out[6]);

#define UNIT_TEXT_MAX 32
#define PORTS_TEXT_MAX (12 * DEDUP_PORTS_MAX)	  /* "65534-65535," for each range */
#define VLANS_TEXT_MAX (10 * DEDUP_VLANS_MAX + 5) /* "4093-4094," for each, and "none," */

/* Write text for people into buf, of `size` bytes, and return buf. UNIT_TEXT_MAX bytes suffice;
 * PORTS_TEXT_MAX for ports, VLANS_TEXT_MAX for VLANs.
 */
const char *format_bytes(uint64_t bytes, char *buf, size_t size); /* "7.1 MB" (decimal) */
/* 2400000 → "2.4M". parse_count() reads it back as that number, if it is below 10^12. */
const char *format_count(uint64_t n, char *buf, size_t size);
/* A number, 0 or more, rounded to 3 digits: "0", "0.25", "7.1", "123", "1.23k", "45.6M", "1.2e+16". */
const char *format_about(double n, char *buf, size_t size);
/* "10m", "1h 30m", "250ms", "5us"; "1.9ms", "1.5s": below 10 ms, and 10 s, with a tenth. */
const char *format_time(uint64_t ns, char *buf, size_t size);
const char *format_ports(const struct dedup_ports *ports, uint32_t cnt, char *buf, size_t size);
/* The form that parse_vlans() takes; "any" if there are none. */
const char *format_vlans(const struct dedup_ports *vlans, uint32_t cnt, char *buf, size_t size);

/* Return such a text in a buffer of their own, which lives until the end of the enclosing block. */
#define FORMAT_BYTES(bytes) format_bytes(bytes, (char[UNIT_TEXT_MAX]){ 0 }, UNIT_TEXT_MAX)
#define FORMAT_COUNT(n) format_count(n, (char[UNIT_TEXT_MAX]){ 0 }, UNIT_TEXT_MAX)
#define FORMAT_ABOUT(n) format_about(n, (char[UNIT_TEXT_MAX]){ 0 }, UNIT_TEXT_MAX)
#define FORMAT_TIME(ns) format_time(ns, (char[UNIT_TEXT_MAX]){ 0 }, UNIT_TEXT_MAX)
#define FORMAT_PORTS(ports, cnt) \
	format_ports(ports, cnt, (char[PORTS_TEXT_MAX]){ 0 }, PORTS_TEXT_MAX)
#define FORMAT_VLANS(vlans, cnt) \
	format_vlans(vlans, cnt, (char[VLANS_TEXT_MAX]){ 0 }, VLANS_TEXT_MAX)
