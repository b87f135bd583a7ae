// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "made_frame.h"

#include <arpa/inet.h>
#include <string.h>

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>

#include "integers.h"

#define TTL 64

/* Writes bytes at *at, and moves *at behind them. */
static void put(uint8_t **at, const void *bytes, size_t len)
{
	if (len)
		memcpy(*at, bytes, len);
	*at += len;
}

static void put_u16(uint8_t **at, uint16_t host)
{
	put(at, &(uint16_t){ htons(host) }, 2);
}

static void put_ipv4(uint8_t **at, const struct made_flow *flow, uint16_t udp_len)
{
	struct iphdr ip = {
		.version = 4,
		.ihl = sizeof(ip) / 4,
		.tot_len = htons(sizeof(ip) + udp_len),
		.ttl = TTL,
		.protocol = IPPROTO_UDP,
	};

	memcpy(&ip.saddr, flow->from, sizeof(ip.saddr));
	memcpy(&ip.daddr, flow->to, sizeof(ip.daddr));
	ip.check = ipv4_checksum(&ip);
	put(at, &ip, sizeof(ip));
}

static void put_ipv6(uint8_t **at, const struct made_flow *flow, uint16_t udp_len)
{
	struct ipv6hdr ip = {
		.version = 6,
		.payload_len = htons(udp_len),
		.nexthdr = IPPROTO_UDP,
		.hop_limit = TTL,
	};

	memcpy(&ip.saddr, flow->from, sizeof(ip.saddr));
	memcpy(&ip.daddr, flow->to, sizeof(ip.daddr));
	put(at, &ip, sizeof(ip));
}

size_t made_frame(const struct made_flow *flow, const void *payload, size_t payload_len,
		  uint8_t frame[MADE_FRAME_MAX])
{
	struct udphdr udp = {
		.source = flow->from_port,
		.dest = flow->to_port,
		.len = htons(sizeof(udp) + payload_len),
	};
	uint8_t *at = frame;

	memset(at, 0, 2 * ETH_ALEN);
	at += 2 * ETH_ALEN;
	if (flow->vlan) {
		put_u16(&at, ETH_P_8021Q);
		put_u16(&at, flow->vlan);
	}
	put_u16(&at, flow->ipv6 ? ETH_P_IPV6 : ETH_P_IP);
	(flow->ipv6 ? put_ipv6 : put_ipv4)(&at, flow, sizeof(udp) + payload_len);
	put(&at, &udp, sizeof(udp));
	put(&at, payload, payload_len);
	return at - frame;
}
