// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "flow.h"

#include <arpa/inet.h>
#include <net/ethernet.h>
#include <netinet/in.h>
#include <string.h>

#include "integers.h"
#include "walk.h"

/* Steps over so many bytes, or those that are there. */
static void step(struct dedup_walk *w, uint32_t bytes)
{
	dedup_step(w, lesser(bytes, w->left));
}

#define TCP_FIN_SYN 3

/* Returns whether TCP only acknowledges or resets. `end`: the end of the IP packet. */
static bool is_bare(const struct dedup_walk *w, uint32_t end)
{
	uint32_t header = dedup_has(w, 14) ? 4U * (w->pos[12] >> 4) : 0;

	return header >= 20 && !(w->pos[13] & TCP_FIN_SYN) && dedup_offset(w) + header >= end;
}

/* Reads the header of this protocol, which follows the IP header. */
static void read_transport(struct flow *f, const struct dedup_walk *w, uint8_t protocol, bool fragment)
{
	const uint8_t *header = w->pos;

	f->kind = SURVEY_IP;
	f->number = protocol;
	if (fragment || !dedup_has(w, 8))
		return;
	if (protocol == IPPROTO_TCP) {
		f->kind = SURVEY_TCP;
		f->number = (uint16_t)lesser(be16(header), be16(header + 2));
		f->bare = is_bare(w, f->end);
	} else if (protocol == IPPROTO_UDP) {
		f->kind = SURVEY_UDP;
		f->number = be16(header + 2);
		f->payload_at = dedup_offset(w) + 8;
		f->payload_len = be16(header + 4) > 8 ? be16(header + 4) - 8U : 0;
	}
}

static void read_flow_ipv4(struct flow *f, struct dedup_walk *w)
{
	const uint8_t *ip = w->pos;
	uint32_t header;

	if (!dedup_has(w, 20) || ip[0] >> 4 != 4)
		return;
	header = 4U * (ip[0] & 15);
	f->ipv4 = true;
	f->ip_id = be16(ip + 4);
	memcpy(f->from, ip + 12, 4);
	memcpy(f->to, ip + 16, 4);
	f->multicast = (ip[16] & 0xf0) == 0xe0;
	f->end = dedup_offset(w) + be16(ip + 2);
	step(w, header);
	read_transport(f, w, ip[9], ((ip[6] & 0x3f) | ip[7]) || header < 20);
}

static void read_flow_ipv6(struct flow *f, struct dedup_walk *w)
{
	const uint8_t *ip = w->pos;
	uint8_t next;

	if (!dedup_has(w, 40) || ip[0] >> 4 != 6)
		return;
	next = ip[6];
	f->ipv6 = true;
	memcpy(f->from, ip + 8, 16);
	memcpy(f->to, ip + 24, 16);
	f->multicast = ip[24] == 0xff;
	f->end = dedup_offset(w) + 40 + be16(ip + 4);
	step(w, 40);
	for (int i = 0;
	     i < DEDUP_IPV6_EXTENSIONS_MAX && !DEDUP_NO_EXTENSION(next) && dedup_has(w, 8); i++) {
		const uint8_t *extension = w->pos;

		step(w, dedup_extension_bytes(next, extension[1]));
		next = extension[0];
	}
	read_transport(f, w, next, false);
}

void flow_of(struct flow *out, const uint8_t *frame, uint32_t len)
{
	struct dedup_walk w = { .data = frame, .end = frame + len };

	*out = (struct flow){ .kind = SURVEY_ETHERNET };
	if (len < ETH_HLEN)
		return;
	w.pos = frame + ETH_HLEN;
	w.left = len - ETH_HLEN;
	w.proto = be16(w.pos - 2);
	dedup_skip_tags(&w, DEDUP_TAGS);
	out->number = w.proto;
	out->ethertype = htons(w.proto);
	out->tag_at = dedup_offset(&w);
	if (w.proto == ETHERTYPE_IP)
		read_flow_ipv4(out, &w);
	else if (w.proto == ETHERTYPE_IPV6)
		read_flow_ipv6(out, &w);
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
