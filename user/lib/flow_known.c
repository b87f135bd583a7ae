// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "flow_known.h"

#include <stddef.h>
#include <string.h>

/* Bytes of an IP header, or of the UDP header behind it. */
struct part {
	uint8_t at, bytes;
	uint8_t bits;	/* of each byte that can be known */
	uint8_t needed; /* KNOWN_ bits that must all be set */
};

/* Never known: DSCP, ECN, flow label, id and fragment offset, TTL, checksums. */
static const struct part IPV4[] = {
	{ 0, 1, 0xff, 0 },	     { 2, 2, 0xff, 0 },		{ 9, 1, 0xff, 0 },
	{ 12, 4, 0xff, KNOWN_FROM }, { 16, 4, 0xff, KNOWN_TO }, { 20, 2, 0xff, KNOWN_FROM },
	{ 22, 2, 0xff, KNOWN_PORT }, { 24, 2, 0xff, 0 },
};
static const struct part IPV6[] = {
	{ 0, 1, 0xf0, 0 },	    { 4, 3, 0xff, 0 },		 { 8, 16, 0xff, KNOWN_FROM },
	{ 24, 16, 0xff, KNOWN_TO }, { 40, 2, 0xff, KNOWN_FROM }, { 42, 2, 0xff, KNOWN_PORT },
	{ 44, 2, 0xff, 0 },
};
#define IPV4_BYTES 28 /* with UDP's header */
#define IPV6_BYTES 48

/* Returns the known bits of the byte at this offset from the IP header. */
static uint8_t bits_of_header(int32_t at, bool ipv6, unsigned int known)
{
	const struct part *parts = ipv6 ? IPV6 : IPV4;
	size_t cnt = ipv6 ? sizeof(IPV6) / sizeof(*IPV6) : sizeof(IPV4) / sizeof(*IPV4);

	if (at >= (ipv6 ? IPV6_BYTES : IPV4_BYTES))
		return 0xff;
	for (size_t i = 0; i < cnt; i++)
		if (at >= parts[i].at && at < parts[i].at + parts[i].bytes)
			return (parts[i].needed & known) == parts[i].needed ? parts[i].bits : 0;
	return 0;
}

/* Returns the known bits of the byte at this offset from the base. */
static uint8_t bits_at(uint32_t base, int32_t at, bool ipv6, unsigned int known)
{
	if (base == DEDUP_PAYLOAD)
		return 0xff;
	if (base == DEDUP_TAG && at < 0)
		return at >= -2 ? 0xff : 0; /* the EtherType */
	if (base == DEDUP_TAG || base == DEDUP_NETWORK)
		return bits_of_header(at, ipv6, known);
	return 0;
}

static bool is_load_known(const struct dedup_load *load, bool ipv6, unsigned int known)
{
	uint64_t read = load->mask << load->shift; /* these bits of the 8 bytes */
	uint8_t mask[sizeof(read)];

	memcpy(mask, &read, sizeof(mask));
	for (int32_t i = 0; i < (int32_t)sizeof(mask); i++)
		if (mask[i] & ~bits_at(load->base, load->at + i, ipv6, known))
			return false;
	return true;
}

bool flow_known_gates(const struct dedup_config *c, uint32_t n, bool ipv6, unsigned int known)
{
	const struct dedup_stream *s = &c->policy.streams[n];

	for (uint32_t i = 0; i < s->gates_cnt; i++)
		if (!is_load_known(&s->gates[i].load, ipv6, known))
			return false;
	return true;
}

bool flow_known_id(const struct dedup_config *c, uint32_t n, bool ipv6, unsigned int known)
{
	const struct dedup_stream *s = &c->policy.streams[n];
	const struct dedup_load *count = &c->numbered[n].count;

	if (s->digest != DEDUP_DIGEST_NONE && s->digest != DEDUP_DIGEST_PAYLOAD)
		return false;
	for (uint32_t i = 0; i < s->loads_cnt; i++)
		if (!is_load_known(&s->loads[i], ipv6, known))
			return false;
	return !c->numbered[n].width || is_load_known(count, ipv6, known);
}
