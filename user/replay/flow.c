// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "flow.h"

#include <arpa/inet.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <string.h>

#include "integers.h"
#include "walk.h"

#define TAGS_MAX 2 /* as in the packet program */
#define EXTENSIONS_MAX 6

/* A position in a frame. Before bytes are read there, has() must be true. */
struct cursor {
	const uint8_t *frame;
	uint32_t at, len;
};

static bool has(const struct cursor *c, uint32_t bytes)
{
	return c->at <= c->len && bytes <= c->len - c->at;
}

static uint16_t be16_at(const struct cursor *c, uint32_t offset)
{
	return be16(c->frame + c->at + offset);
}

static bool step_over_tags(struct flow *f, struct cursor *c)
{
	c->at = ETH_HLEN;
	if (!has(c, 0))
		return false;
	c->at -= 2;
	for (int i = 0; i <= TAGS_MAX; i++) {
		f->number = be16_at(c, 0);
		c->at += 2;
		if ((f->number != ETHERTYPE_VLAN && f->number != 0x88a8) || i == TAGS_MAX)
			break;
		if (!has(c, 4))
			break;
		c->at += 2;
	}
	f->ethertype = htons(f->number);
	f->tag_at = c->at;
	return true;
}

#define TCP_FIN_SYN 3

/* Returns whether TCP only acknowledges or resets. `end`: the end of the IP packet. */
static bool is_bare(const struct cursor *c, uint32_t end)
{
	uint32_t header = has(c, 14) ? 4U * (c->frame[c->at + 12] >> 4) : 0;

	return header >= 20 && !(c->frame[c->at + 13] & TCP_FIN_SYN) && c->at + header >= end;
}

/* Reads the header of this protocol, which follows the IP header. */
static void read_transport(struct flow *f, struct cursor *c, uint8_t protocol, bool fragment)
{
	f->kind = SURVEY_IP;
	f->number = protocol;
	if (fragment || !has(c, 8))
		return;
	if (protocol == IPPROTO_TCP) {
		f->kind = SURVEY_TCP;
		f->number = be16_at(c, 0) < be16_at(c, 2) ? be16_at(c, 0) : be16_at(c, 2);
		f->bare = is_bare(c, f->end);
	} else if (protocol == IPPROTO_UDP) {
		f->kind = SURVEY_UDP;
		f->number = be16_at(c, 2);
		f->payload_at = c->at + 8;
		f->payload_len = be16_at(c, 4) > 8 ? be16_at(c, 4) - 8U : 0;
	}
}

static void read_flow_ipv4(struct flow *f, struct cursor *c)
{
	const uint8_t *ip = c->frame + c->at;
	uint32_t header;

	if (!has(c, 20) || ip[0] >> 4 != 4)
		return;
	header = 4U * (ip[0] & 15);
	f->ipv4 = true;
	f->ip_id = be16_at(c, 4);
	memcpy(f->from, ip + 12, 4);
	memcpy(f->to, ip + 16, 4);
	f->multicast = (ip[16] & 0xf0) == 0xe0;
	f->end = c->at + be16_at(c, 2);
	c->at += header;
	read_transport(f, c, ip[9], ((ip[6] & 0x3f) | ip[7]) || header < 20);
}

static void read_flow_ipv6(struct flow *f, struct cursor *c)
{
	const uint8_t *ip = c->frame + c->at;
	uint8_t next;

	if (!has(c, 40) || ip[0] >> 4 != 6)
		return;
	next = ip[6];
	f->ipv6 = true;
	memcpy(f->from, ip + 8, 16);
	memcpy(f->to, ip + 24, 16);
	f->multicast = ip[24] == 0xff;
	f->end = c->at + 40 + be16_at(c, 4);
	c->at += 40;
	for (int i = 0; i < EXTENSIONS_MAX && !DEDUP_NO_EXTENSION(next) && has(c, 8); i++) {
		const uint8_t *extension = c->frame + c->at;

		c->at += dedup_extension_bytes(next, extension[1]);
		next = extension[0];
	}
	read_transport(f, c, next, false);
}

void flow_of(struct flow *out, const uint8_t *frame, uint32_t len)
{
	struct cursor c = { .frame = frame, .len = len };

	*out = (struct flow){ .kind = SURVEY_ETHERNET };
	if (!step_over_tags(out, &c))
		return;
	if (out->number == ETHERTYPE_IP)
		read_flow_ipv4(out, &c);
	else if (out->number == ETHERTYPE_IPV6)
		read_flow_ipv6(out, &c);
}

static uint32_t mix(uint64_t h, const uint8_t bytes[16])
{
	uint64_t word[2];

	memcpy(word, bytes, sizeof(word));
	h = (h ^ word[0]) * 0x9e3779b97f4a7c15;
	h = (h ^ h >> 32 ^ word[1]) * 0x9e3779b97f4a7c15;
	return (uint32_t)(h >> 32);
}

uint32_t flow_sender(const struct flow *f)
{
	return mix(f->ipv6, f->from);
}

uint8_t flow_host(const struct flow *f)
{
	return f->multicast ? 0 : (uint8_t)(1 + mix(f->ipv6, f->to) % 255);
}

uint32_t flow_destination(const struct flow *f)
{
	static const uint8_t NO_GROUP[16];

	return mix((uint64_t)f->kind << 16 | f->number, f->multicast ? f->to : NO_GROUP);
}

bool flow_is_to(const struct flow *f, const struct survey_destination *d)
{
	return f->kind == d->kind && f->number == d->number && f->multicast == d->multicast &&
	       (!f->multicast || !memcmp(f->to, d->addresses[0], 16));
}
