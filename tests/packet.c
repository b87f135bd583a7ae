// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "support.h"

#include "packet.h"

#include <netinet/in.h>
#include <string.h>

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#define SOURCE_PORT 4001
#define IPV4_NOP 1

static const uint8_t NOTHING[16];

struct id id_fresh(void)
{
	static uint64_t seed = 1;
	uint64_t words[GSP_ID_BYTES / 8];
	struct id id;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		words[i] = random_next(&seed);
	memcpy(&id, words, sizeof(id));
	return id;
}

struct dedup_id id_key(const struct id *id)
{
	struct dedup_id key = { 0 };

	memcpy(key.byte, id->bytes, sizeof(id->bytes));
	return key;
}

void frame_put(struct frame *f, uint32_t offset, uint32_t bytes, uint32_t value)
{
	assert_true(offset + bytes <= FRAME_MAX);
	for (uint32_t i = bytes; i; i--, value >>= 8)
		f->data[offset + i - 1] = value;
}

/* Adds a field at the end. */
static void add(struct frame *f, uint32_t bytes, uint32_t value)
{
	frame_put(f, f->len, bytes, value);
	f->len += bytes;
}

static void fill(struct frame *f, uint32_t bytes, uint8_t value)
{
	assert_true(f->len + bytes <= FRAME_MAX);
	memset(f->data + f->len, value, bytes);
	f->len += bytes;
}

/* Over the last bytes, where it is one. */
static void put_address(struct frame *f, const uint8_t *address, uint32_t bytes)
{
	if (memcmp(address, NOTHING, bytes))
		memcpy(f->data + f->len - bytes, address, bytes);
}

static uint32_t gsp_len(const struct frame_plan *p)
{
	return sizeof(struct gsp_header) + (p->count ?: 1) * GSP_ID_BYTES + p->body;
}

static uint32_t extension_len(const struct frame_plan *p, int i)
{
	return p->extensions[i] == IPPROTO_AH ? (p->extension_len + 2) * 4
					      : (p->extension_len + 1) * 8;
}

static void add_ethernet(struct frame *f, const struct frame_plan *p)
{
	static const uint8_t MAC[] = FRAME_MAC;

	fill(f, 2 * ETH_ALEN, 0x02);
	memcpy(f->data, memcmp(p->to_mac, NOTHING, sizeof(MAC)) ? p->to_mac : MAC, sizeof(MAC));
	for (int i = 0; i < TAGS_MAX && p->tags[i]; i++) {
		add(f, 2, p->tags[i]);
		add(f, 2, 0x2007); /* priority 1, VLAN 7 */
	}
	add(f, 2, p->ipv6 ? ETH_P_IPV6 : ETH_P_IP);
}

static void add_ipv4(struct frame *f, const struct frame_plan *p, uint32_t payload)
{
	uint32_t header = sizeof(struct iphdr) + 4 * p->option_words;

	add(f, 1, 0x40 + header / 4);
	add(f, 1, 0);
	add(f, 2, header + payload);
	add(f, 4, 0x12344000); /* id, don't fragment */
	add(f, 1, 64);
	add(f, 1, IPPROTO_UDP);
	add(f, 2, 0);
	add(f, 4, 0x0a000001);
	add(f, 4, 0x0a000002);
	put_address(f, p->to, 4);
	fill(f, 4 * p->option_words, IPV4_NOP);
}

static uint8_t next_header(const struct frame_plan *p, int i)
{
	return i < p->extensions_cnt ? p->extensions[i] : IPPROTO_UDP;
}

static void add_ipv6(struct frame *f, const struct frame_plan *p, uint32_t payload)
{
	for (int i = 0; i < p->extensions_cnt; i++)
		payload += extension_len(p, i);
	add(f, 4, 0x60000000);
	add(f, 2, payload);
	add(f, 1, next_header(p, 0));
	add(f, 1, 64);
	fill(f, 2 * sizeof(struct in6_addr), 0xfd);
	put_address(f, p->to, 16);
	for (int i = 0; i < p->extensions_cnt; i++) {
		add(f, 1, next_header(p, i + 1));
		add(f, 1, p->extension_len);
		fill(f, extension_len(p, i) - 2, 0);
	}
}

void frame_build(struct frame *f, const struct frame_plan *p, const struct id *ids)
{
	uint8_t count = p->count ?: 1;
	uint32_t udp_len = sizeof(struct udphdr) + gsp_len(p);

	f->len = 0;
	add_ethernet(f, p);
	f->ip = f->len;
	if (p->ipv6)
		add_ipv6(f, p, udp_len);
	else
		add_ipv4(f, p, udp_len);
	f->udp = f->len;
	add(f, 2, SOURCE_PORT);
	add(f, 2, GOSSIP_PORT);
	add(f, 2, udp_len);
	add(f, 2, 0);
	f->gsp = f->len;
	add(f, 4, GSP_MAGIC);
	add(f, 1, p->type ?: GSP_EVENT);
	add(f, 1, count);
	add(f, 2, 0);
	for (int i = 0; i < count; i++) {
		memcpy(f->data + f->len, ids[i].bytes, GSP_ID_BYTES);
		f->len += GSP_ID_BYTES;
	}
	fill(f, p->body, 0xbb);
	fill(f, p->padding, 0);
	f->padding = p->padding;
}
