// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "datagram.h"

#include <arpa/inet.h>
#include <string.h>

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "walk.h"

#define IPV4_FRAGMENT 0x3fff /* bits of frag_off: "more fragments", and the offset */
#define IPV6_EXT_MAX 8

/* The rest of the frame. */
struct datagram_rest {
	const uint8_t *at;
	size_t len;
};

static void skip_read(struct datagram_rest *r, size_t bytes)
{
	r->at += bytes;
	r->len -= bytes;
}

/* Returns `sum` plus the sum of RFC 1071 over `len` bytes, not folded. A last odd byte is padded
 * with zero. Any byte order will do, as the sum does not depend on it.
 */
static uint64_t sum_of(const void *bytes, size_t len, uint64_t sum)
{
	const uint8_t *at = bytes;
	uint64_t other = 0;
	uint16_t last = 0;

	for (; len >= 16; len -= 16, at += 16) { /* two independent sums: their additions overlap */
		uint64_t word[2];

		memcpy(word, at, 16);
		sum += (word[0] & UINT32_MAX) + (word[0] >> 32);
		other += (word[1] & UINT32_MAX) + (word[1] >> 32);
	}
	sum += other;
	for (; len >= 2; len -= 2, at += 2) {
		uint16_t word;

		memcpy(&word, at, 2);
		sum += word;
	}
	memcpy(&last, at, len);
	return sum + last;
}

static uint16_t fold_checksum(uint64_t sum)
{
	while (sum >> 16)
		sum = (sum & UINT16_MAX) + (sum >> 16);
	return sum;
}

/* Reads the datagram that begins at r. Its IP header has `address_bytes` of addresses. */
static enum datagram_kind read_udp(const struct datagram_rest *r, const uint8_t *addresses,
				   size_t address_bytes, struct xdp_dedup_packet *p)
{
	struct udphdr udp;
	uint64_t pseudo;
	uint16_t len;

	if (r->len < sizeof(udp))
		return DATAGRAM_BROKEN;
	memcpy(&udp, r->at, sizeof(udp));
	len = ntohs(udp.len);
	if (len < sizeof(udp) || len > r->len)
		return DATAGRAM_BROKEN;
	p->payload = r->at + sizeof(udp);
	p->payload_len = len - sizeof(udp);
	if (address_bytes == 8) {
		p->source.ipv4 =
			(struct sockaddr_in){ .sin_family = AF_INET, .sin_port = udp.source };
		memcpy(&p->source.ipv4.sin_addr, addresses, 4);
		if (!udp.check)
			return DATAGRAM_UDP;
	} else {
		p->source.ipv6 =
			(struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = udp.source };
		memcpy(&p->source.ipv6.sin6_addr, addresses, 16);
		if (!udp.check)
			return DATAGRAM_BROKEN; /* RFC 8200: IPv6 requires a checksum */
	}
	pseudo = sum_of(addresses, address_bytes, htons(IPPROTO_UDP) + udp.len);
	if (fold_checksum(sum_of(r->at, len, pseudo)) == UINT16_MAX)
		return DATAGRAM_UDP;
	return udp.check == fold_checksum(pseudo) ? DATAGRAM_UNFINISHED : DATAGRAM_BROKEN;
}

static enum datagram_kind read_ipv4(struct datagram_rest *r, struct xdp_dedup_packet *p)
{
	const uint8_t *start = r->at;
	struct iphdr ip;
	size_t header_len, len;

	if (r->len < sizeof(ip))
		return DATAGRAM_BROKEN;
	memcpy(&ip, start, sizeof(ip));
	header_len = 4 * ip.ihl;
	len = ntohs(ip.tot_len);
	if (ip.version != 4 || header_len < sizeof(ip) || len < header_len || len > r->len ||
	    fold_checksum(sum_of(start, header_len, 0)) != UINT16_MAX)
		return DATAGRAM_BROKEN;
	if (ip.protocol != IPPROTO_UDP || ip.frag_off & htons(IPV4_FRAGMENT))
		return DATAGRAM_OTHER;
	r->len = len; /* drops Ethernet padding */
	skip_read(r, header_len);
	return read_udp(r, start + offsetof(struct iphdr, saddr), 8, p);
}

static enum datagram_kind read_ipv6(struct datagram_rest *r, struct xdp_dedup_packet *p)
{
	const uint8_t *start = r->at;
	struct ipv6hdr ip;
	uint8_t next;

	if (r->len < sizeof(ip))
		return DATAGRAM_BROKEN;
	memcpy(&ip, start, sizeof(ip));
	next = ip.nexthdr;
	if (ip.version != 6 || ntohs(ip.payload_len) > r->len - sizeof(ip))
		return DATAGRAM_BROKEN;
	r->len = sizeof(ip) + ntohs(ip.payload_len);
	skip_read(r, sizeof(ip));
	for (int i = 0; i < IPV6_EXT_MAX && next != IPPROTO_UDP; i++) {
		size_t bytes;

		if (DEDUP_NO_EXTENSION(next))
			return DATAGRAM_OTHER;
		if (r->len < 2)
			return DATAGRAM_BROKEN;
		bytes = dedup_extension_bytes(next, r->at[1]);
		if (bytes > r->len)
			return DATAGRAM_BROKEN;
		next = r->at[0];
		skip_read(r, bytes);
	}
	if (next != IPPROTO_UDP)
		return DATAGRAM_OTHER;
	return read_udp(r, start + offsetof(struct ipv6hdr, saddr), 32, p);
}

enum datagram_kind datagram_read(struct xdp_dedup_packet *p)
{
	struct datagram_rest r = { p->data, p->len };
	enum datagram_kind kind;
	uint16_t proto;

	p->payload = NULL;
	p->payload_len = 0;
	memset(&p->source, 0, sizeof(p->source));
	if (r.len < ETH_HLEN)
		return DATAGRAM_OTHER;
	memcpy(&proto, r.at + ETH_HLEN - 2, 2);
	skip_read(&r, ETH_HLEN);
	while ((proto == htons(ETH_P_8021Q) || proto == htons(ETH_P_8021AD)) && r.len >= 4) {
		memcpy(&proto, r.at + 2, 2);
		skip_read(&r, 4);
	}
	if (proto == htons(ETH_P_IP))
		kind = read_ipv4(&r, p);
	else if (proto == htons(ETH_P_IPV6))
		kind = read_ipv6(&r, p);
	else
		return DATAGRAM_OTHER;
	if (kind == DATAGRAM_UDP || kind == DATAGRAM_UNFINISHED)
		return kind;
	p->payload = NULL;
	p->payload_len = 0;
	return kind;
}
