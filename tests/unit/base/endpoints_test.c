// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who sent a frame: of good ones, of any cut, of any bytes. */
#include "unit.h"

#include "endpoints.h"

#define MACS "\x02\0\0\0\0\x01\x02\0\0\0\0\x02"
#define TAG "\x81\x00\x00\x01"
#define QINQ "\x88\xa8\x00\x02"
#define IPV4(first, fragment, proto) \
	"\x08\x00" first "\0\0\x1c\0\0" fragment "\x40" proto "\0\0\xc0\0\2\1\xc0\0\2\2"
#define IPV6(next)                                                                           \
	"\x86\xdd\x60\0\0\0\0\x08" next "\x40\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x01\x20" \
	"\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x02"
#define PORTS "\x1f\x41\x00\x50"
#define BYTES(text) text, sizeof(text) - 1

#define UDP4 IPV4("\x45", "\0\0", "\x11")

/* Both ends as text. */
#define PORTS4 "192.0.2.1:8001", "192.0.2.2:80"
#define NO_PORTS4 "192.0.2.1", "192.0.2.2"
#define PORTS6 "[2001:db8::1]:8001", "[2001:db8::2]:80"
#define NO_PORTS6 "2001:db8::1", "2001:db8::2"
#define MAC_PAIR "02:00:00:00:00:02", "02:00:00:00:00:01"

static const struct row {
	const char *name, *frame;
	size_t len;
	const char *source, *destination;
} ROWS[] = {
	{ "no-header", BYTES("\x02\0\0\0\0\x01\x02\0\0\0\0\x02\x08"), "-", "-" },
	{ "no-ip", BYTES(MACS "\x88\xb8"), MAC_PAIR },
	{ "ipv4-udp", BYTES(MACS UDP4 PORTS), PORTS4 },
	{ "ipv4-tcp", BYTES(MACS IPV4("\x45", "\0\0", "\x06") PORTS), PORTS4 },
	{ "ipv4-icmp", BYTES(MACS IPV4("\x45", "\0\0", "\x01") PORTS), NO_PORTS4 },
	{ "ipv4-options", BYTES(MACS IPV4("\x46", "\0\0", "\x11") "\1\1\1\1" PORTS), PORTS4 },
	{ "ipv4-first-fragment", BYTES(MACS IPV4("\x45", "\x20\0", "\x11") PORTS), PORTS4 },
	{ "ipv4-fragment", BYTES(MACS IPV4("\x45", "\0\1", "\x11") PORTS), NO_PORTS4 },
	{ "ipv4-short-header", BYTES(MACS IPV4("\x44", "\0\0", "\x11") PORTS), NO_PORTS4 },
	{ "ipv4-of-version-6", BYTES(MACS IPV4("\x65", "\0\0", "\x11") PORTS), MAC_PAIR },
	{ "ipv4-cut-ports", BYTES(MACS UDP4 "\x1f\x41\0"), NO_PORTS4 },
	{ "vlan", BYTES(MACS TAG UDP4 PORTS), PORTS4 },
	{ "two-vlans", BYTES(MACS QINQ TAG UDP4 PORTS), PORTS4 },
	{ "cut-vlan", BYTES(MACS "\x81\x00\x00"), MAC_PAIR },
	{ "ipv6-udp", BYTES(MACS IPV6("\x11") PORTS), PORTS6 },
	{ "ipv6-none", BYTES(MACS IPV6("\x3b") PORTS), NO_PORTS6 },
	{ "ipv6-hop-by-hop", BYTES(MACS IPV6("\0") "\x11\0\0\0\0\0\0\0" PORTS), PORTS6 },
	{ "ipv6-authenticated",
	  BYTES(MACS IPV6("\x33") "\x11\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" PORTS),
	  PORTS6 },
	{ "ipv6-first-fragment", BYTES(MACS IPV6("\x2c") "\x11\0\0\1\0\0\0\0" PORTS), PORTS6 },
	{ "ipv6-fragment", BYTES(MACS IPV6("\x2c") "\x11\0\0\x08\0\0\0\0" PORTS), NO_PORTS6 },
	{ "ipv6-endless-extension", BYTES(MACS IPV6("\0") "\x11\xff\0\0\0\0\0\0" PORTS), NO_PORTS6 },
};

TEST_ROWS(is_written, ROWS)
{
	char source[ENDPOINT_TEXT_MAX], destination[ENDPOINT_TEXT_MAX];
	struct endpoint from, to;

	endpoints_of((const uint8_t *)row->frame, row->len, &from, &to);
	assert_string_equal(format_endpoint(&from, source), row->source);
	assert_string_equal(format_endpoint(&to, destination), row->destination);
}

UNIT_MAIN()
