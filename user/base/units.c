// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define RATE_MIN 1e-18 /* the unit of fpr_e18 in struct dedup_config: less would become 0 */

struct unit {
	const char *suffix;
	uint64_t factor;
};

static const struct unit COUNT_UNITS[] = {
	{ "", 1 }, { "k", 1000 }, { "K", 1000 }, { "M", 1000000 }, { "G", 1000000000 }, { NULL, 0 },
};

static const struct unit TIME_UNITS[] = {
	{ "ms", 1000000 },	{ "s", 1000000000 },	 { "m", 60000000000 },
	{ "h", 3600000000000 }, { "d", 86400000000000 }, { NULL, 0 },
};

/* Is the text digits with at most one point? strtold() also accepts "inf", "0x1" and blanks. */
static bool is_decimal(const char *text, size_t len)
{
	size_t digits = strspn(text, "0123456789");

	if (digits < len && text[digits] == '.')
		digits += 1 + strspn(text + digits + 1, "0123456789");
	return digits == len && isdigit((unsigned char)text[0]);
}

static int parse_scaled(const char *text, const struct unit *units, uint64_t *out)
{
	size_t len = strspn(text, "0123456789.");
	const struct unit *u = units;
	long double value;

	while (u->suffix && strcmp(text + len, u->suffix))
		u++;
	if (!u->suffix || !is_decimal(text, len))
		return -EINVAL;
	value = strtold(text, NULL) * u->factor;
	if (value >= (long double)INT64_MAX)
		return -ERANGE;
	if (fabsl(value - roundl(value)) > 1e-6L)
		return -EINVAL;
	*out = (uint64_t)roundl(value);
	return 0;
}

int parse_count(const char *text, uint64_t *out)
{
	return parse_scaled(text, COUNT_UNITS, out);
}

int parse_time(const char *text, uint64_t *out_ns)
{
	if (!strcmp(text, "0")) {
		*out_ns = 0;
		return 0;
	}
	return parse_scaled(text, TIME_UNITS, out_ns);
}

int parse_rate(const char *text, double *out)
{
	double value;
	char *end;

	if (!isdigit((unsigned char)text[0]) && text[0] != '.' && text[0] != '-')
		return -EINVAL;
	value = strtod(text, &end);
	if (*end || end == text)
		return -EINVAL;
	if (!(value >= RATE_MIN && value < 1))
		return -ERANGE;
	*out = value;
	return 0;
}

#define VLAN_NONE "none"

/* The range of the numbers in a list. */
static const struct number_kind {
	uint16_t least, most;
	const char *zero; /* the word for 0; NULL: there is none */
} PORTS = { 1, UINT16_MAX, NULL }, VLANS = { 1, 4094, VLAN_NONE };

/* Parses a number of this kind, and moves *text behind it. */
static int take_number(const char **text, const struct number_kind *kind, uint16_t *out)
{
	unsigned long value;
	char *end;

	if (kind->zero && !strncmp(*text, kind->zero, strlen(kind->zero))) {
		*text += strlen(kind->zero);
		*out = 0;
		return **text == '-' ? -EINVAL : 0;
	}
	if (!isdigit((unsigned char)**text))
		return -EINVAL;
	value = strtoul(*text, &end, 10);
	if (value < kind->least || value > kind->most)
		return -ERANGE;
	*text = end;
	*out = value;
	return 0;
}

static int compare_ports(const void *a, const void *b)
{
	return ((const struct dedup_ports *)a)->lo - ((const struct dedup_ports *)b)->lo;
}

/* Sorts the ranges and joins those that overlap or are adjacent. Returns how many are left. */
static uint32_t join_ports(struct dedup_ports *ports, uint32_t cnt)
{
	uint32_t last = 0;

	qsort(ports, cnt, sizeof(*ports), compare_ports);
	for (uint32_t i = 1; i < cnt; i++) {
		if (ports[i].lo > ports[last].hi + 1)
			ports[++last] = ports[i];
		else if (ports[i].hi > ports[last].hi)
			ports[last].hi = ports[i].hi;
	}
	return last + 1;
}

/* Parses a list of numbers and ranges of this kind. */
static int parse_ranges(const char *text, const struct number_kind *kind, struct dedup_ports *out,
			uint32_t *cnt)
{
	struct dedup_ports ranges[DEDUP_PORTS_MAX];
	uint32_t n = 0;
	int err;

	for (;; text++) {
		struct dedup_ports range;

		err = take_number(&text, kind, &range.lo);
		if (err)
			return err;
		range.hi = range.lo;
		if (*text == '-') {
			text++;
			err = take_number(&text, kind, &range.hi);
			if (err)
				return err;
			if (range.hi < range.lo)
				return -ERANGE;
		}
		if (*text && *text != ',')
			return -EINVAL;
		if (n == DEDUP_PORTS_MAX)
			n = join_ports(ranges, n);
		if (n == DEDUP_PORTS_MAX)
			return -E2BIG;
		ranges[n++] = range;
		if (!*text)
			break;
	}
	*cnt = join_ports(ranges, n);
	memcpy(out, ranges, *cnt * sizeof(*out));
	return 0;
}

int parse_ports(const char *text, struct dedup_ports *out, uint32_t *cnt)
{
	return parse_ranges(text, &PORTS, out, cnt);
}

int parse_vlans(const char *text, struct dedup_ports *out, uint32_t *cnt)
{
	_Static_assert(DEDUP_VLANS_MAX == DEDUP_PORTS_MAX, "parse_ranges() writes so many");

	if (strcmp(text, "any"))
		return parse_ranges(text, &VLANS, out, cnt);
	*cnt = 0;
	return 0;
}

int parse_hex(const char *text, uint8_t *out, size_t max)
{
	size_t digits = strlen(text);

	if (digits % 2 || digits / 2 > max || strspn(text, "0123456789abcdefABCDEF") != digits)
		return -EINVAL;
	for (size_t i = 0; i < digits / 2; i++) {
		char byte[3] = { text[2 * i], text[2 * i + 1], 0 };

		out[i] = strtoul(byte, NULL, 16);
	}
	return (int)(digits / 2);
}

int parse_mac(const char *text, uint8_t out[6])
{
	uint8_t mac[6];
	int end = 0;

	if (sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%n", &mac[0], &mac[1], &mac[2],
		   &mac[3], &mac[4], &mac[5], &end) != 6 ||
	    text[end] || strspn(text, "0123456789abcdefABCDEF:") != (size_t)end)
		return -EINVAL;
	memcpy(out, mac, sizeof(mac));
	return 0;
}

const char *format_bytes(uint64_t bytes, char *buf, size_t size)
{
	static const char *const UNITS[] = { "B", "kB", "MB", "GB", "TB", "PB" };
	double value = bytes;
	int unit = 0;

	while (value >= 999.5 && unit < 5) {
		value /= 1000;
		unit++;
	}
	snprintf(buf, size, unit && value < 99.95 ? "%.1f %s" : "%.0f %s", value, UNITS[unit]);
	return buf;
}

const char *format_count(uint64_t n, char *buf, size_t size)
{
	uint64_t unit = 1000000000;
	const char *name = "GMk";

	while (unit > 1 && (n < unit || n % (unit / 10))) {
		unit /= 1000;
		name++;
	}
	snprintf(buf, size, "%" PRIu64, n / unit);
	if (unit > 1 && n % unit)
		text_append(buf, size, ".%" PRIu64, n % unit * 10 / unit);
	if (unit > 1)
		text_append(buf, size, "%c", *name);
	return buf;
}

const char *format_about(double n, char *buf, size_t size)
{
	static const char *const UNITS[] = { "", "k", "M", "G", "T" };
	int unit = 0;

	while (n >= 999.5 && unit < 4) {
		n /= 1000;
		unit++;
	}
	snprintf(buf, size, "%.*f%s",
		 n < 9.995 && (unit || n < 0.9995) ? 2
		 : n < 99.95			   ? 1
						   : 0,
		 n, UNITS[unit]);
	if (n <= 0)
		snprintf(buf, size, "0");
	else if (n >= 999.5)
		snprintf(buf, size, "%.2g", n * 1e12);
	return buf;
}

const char *format_time(uint64_t ns, char *buf, size_t size)
{
	uint64_t s = ns / 1000000000;

	if (ns && ns <= 999000)
		snprintf(buf, size, "%" PRIu64 "us", (ns + 999) / 1000);
	else if (ns < 10000000 && ns % 1000000)
		snprintf(buf, size, "%.1fms", ns / 1e6);
	else if (ns < 1000000000)
		snprintf(buf, size, "%" PRIu64 "ms", ns / 1000000);
	else if (s < 10 && ns % 1000000000)
		snprintf(buf, size, "%.1fs", ns / 1e9);
	else if (s < 60)
		snprintf(buf, size, "%" PRIu64 "s", s);
	else if (s < 3600 && s % 60)
		snprintf(buf, size, "%" PRIu64 "m %" PRIu64 "s", s / 60, s % 60);
	else if (s < 3600)
		snprintf(buf, size, "%" PRIu64 "m", s / 60);
	else if (s < 86400 && s / 60 % 60)
		snprintf(buf, size, "%" PRIu64 "h %" PRIu64 "m", s / 3600, s / 60 % 60);
	else if (s < 86400)
		snprintf(buf, size, "%" PRIu64 "h", s / 3600);
	else if (s / 3600 % 24)
		snprintf(buf, size, "%" PRIu64 "d %" PRIu64 "h", s / 86400, s / 3600 % 24);
	else
		snprintf(buf, size, "%" PRIu64 "d", s / 86400);
	return buf;
}

const char *format_ports(const struct dedup_ports *ports, uint32_t cnt, char *buf, size_t size)
{
	buf[0] = 0;
	for (uint32_t i = 0; i < cnt; i++) {
		text_append(buf, size, "%s%u", i ? "," : "", ports[i].lo);
		if (ports[i].hi != ports[i].lo)
			text_append(buf, size, "-%u", ports[i].hi);
	}
	return buf;
}

const char *format_vlans(const struct dedup_ports *vlans, uint32_t cnt, char *buf, size_t size)
{
	snprintf(buf, size, "%s", cnt ? "" : "any");
	for (uint32_t i = 0; i < cnt; i++) {
		struct dedup_ports v = vlans[i];

		if (!v.lo)
			text_append(buf, size, VLAN_NONE);
		v.lo += !v.lo;
		if (v.lo <= v.hi)
			text_append(buf, size, "%s%s", *buf ? "," : "", FORMAT_PORTS(&v, 1));
	}
	return buf;
}
