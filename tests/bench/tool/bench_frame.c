// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Builds the frames that are sent. */
#include "bench_setup.h"

#include <arpa/inet.h>
#include <string.h>

#include "integers.h"

#define SHORT_IP_BYTES 128 /* IP packet of the rows with `mirror` */

static struct iphdr ip_header(uint8_t protocol, size_t bytes)
{
	struct iphdr ip = {
		.version = 4,
		.ihl = 5,
		.ttl = 64,
		.protocol = protocol,
		.tot_len = htons(bytes),
	};

	ip.check = ipv4_checksum(&ip);
	return ip;
}

/* Writes an EVENT whose IP packet has ip_bytes bytes. Returns the length of its frame. */
static uint32_t put_event(uint8_t *at, size_t ip_bytes)
{
	struct bench_frame f = {
		.eth.h_proto = htons(ETH_P_IP),
		.ip = ip_header(IPPROTO_UDP, ip_bytes),
		.udp = { .dest = htons(BENCH_PORT), .len = htons(ip_bytes - sizeof(f.ip)) },
		.gsp = { .magic = htonl(GSP_MAGIC), .type = GSP_EVENT, .count = 1 },
	};

	memcpy(at, &f, sizeof(f.eth) + ip_bytes);
	return sizeof(f.eth) + ip_bytes;
}

/* The headers of tunnels, beginning with the outer UDP or GRE header. */
static const struct {
	uint8_t protocol, bytes;
	uint8_t header[16];
} TUNNELS[] = {
	[BENCH_PLAIN] = { 0, 0, { 0 } },
	[BENCH_IN_VXLAN] = { IPPROTO_UDP, 16, { 0xc0, 0, 0x12, 0xb5, 0, 0, 0, 0, 8 } },
	[BENCH_IN_GRE] = { IPPROTO_GRE, 4, { 0, 0, 0x65, 0x58 } },
	[BENCH_IN_ERSPAN] = { IPPROTO_GRE, 16, { 0x10, 0, 0x88, 0xbe, 0, 0, 0, 0, 0x10 } },
};

/* Writes the headers of a tunnel that carries `bytes` bytes. Returns their length. */
static uint32_t put_tunnel(uint8_t *at, enum bench_packet packet, size_t bytes)
{
	const struct ethhdr eth = { .h_proto = htons(ETH_P_IP) };
	const size_t own = TUNNELS[packet].bytes;
	struct iphdr ip = ip_header(TUNNELS[packet].protocol, sizeof(ip) + own + bytes);
	uint16_t udp_bytes = htons(own + bytes);

	memcpy(at, &eth, sizeof(eth));
	memcpy(at + sizeof(eth), &ip, sizeof(ip));
	at += sizeof(eth) + sizeof(ip);
	memcpy(at, TUNNELS[packet].header, own);
	if (packet == BENCH_IN_VXLAN)
		memcpy(at + 4, &udp_bytes, sizeof(udp_bytes));
	return sizeof(eth) + sizeof(ip) + own;
}

void bench_build_frame(struct bench *b, enum bench_packet packet)
{
	uint32_t bytes, head = 0;

	if (packet == BENCH_LONG) {
		bytes = put_event(b->frame, sizeof(struct bench_frame) - sizeof(struct ethhdr));
	} else {
		if (packet != BENCH_PLAIN)
			head = put_tunnel(b->frame, packet, sizeof(struct ethhdr) + SHORT_IP_BYTES);
		bytes = put_event(b->frame + head, SHORT_IP_BYTES);
	}
	b->frame_bytes = head + bytes;
	b->id_at = head + BENCH_ID_AT;
}
