// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "endpoints.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include <linux/if_ether.h>

#include "integers.h"
#include "walk.h"

#define VLAN_TAG 4
#define IPV4_HEADER 20
#define IPV6_HEADER 40
#define IPV6_EXT_MAX 8 /* extension headers that are skipped */

/* The rest of the frame. */
struct rest {
	const uint8_t *data;
	size_t len;
};

static void skip_at_most(struct rest *r, size_t bytes)
{
	bytes = lesser(bytes, r->len);
	r->data += bytes;
	r->len -= bytes;
}

static void put_mac(const uint8_t *mac, struct endpoint *e)
{
	snprintf(e->address, sizeof(e->address), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1],
		 mac[2], mac[3], mac[4], mac[5]);
}

/* Reads both ports, which are the first 4 bytes of the header in all of these protocols. */
static void put_ports(const struct rest *r, uint8_t proto, struct endpoint *source,
		      struct endpoint *destination)
{
	if (proto != IPPROTO_UDP && proto != IPPROTO_TCP && proto != IPPROTO_UDPLITE &&
	    proto != IPPROTO_SCTP && proto != IPPROTO_DCCP)
		return;
	if (r->len < 4)
		return;
	source->port = be16(r->data);
	destination->port = be16(r->data + 2);
}

static void put_ipv4(struct rest *r, struct endpoint *source, struct endpoint *destination)
{
	const uint8_t *ip = r->data;
	size_t header_len;

	if (r->len < IPV4_HEADER || ip[0] >> 4 != 4)
		return;
	header_len = 4 * (ip[0] & 15);
	inet_ntop(AF_INET, ip + 12, source->address, sizeof(source->address));
	inet_ntop(AF_INET, ip + 16, destination->address, sizeof(destination->address));
	skip_at_most(r, header_len);
	/* Only the first fragment of a packet has the ports. */
	if (header_len >= IPV4_HEADER && !(be16(ip + 6) & 0x1fff))
		put_ports(r, ip[9], source, destination);
}

/* Skips the extension headers. Returns the protocol behind them; IPPROTO_NONE if it is unknown, or
 * if this is not the packet's first fragment.
 */
static uint8_t skip_extensions(struct rest *r, uint8_t next)
{
	for (int i = 0; i < IPV6_EXT_MAX; i++) {
		if (DEDUP_NO_EXTENSION(next) && next != IPPROTO_FRAGMENT)
			return next;
		if (r->len < 8 || (next == IPPROTO_FRAGMENT && be16(r->data + 2) & 0xfff8))
			return IPPROTO_NONE;
		size_t bytes = next == IPPROTO_FRAGMENT ? 8 : dedup_extension_bytes(next, r->data[1]);

		next = r->data[0];
		skip_at_most(r, bytes);
	}
	return IPPROTO_NONE;
}

static void put_ipv6(struct rest *r, struct endpoint *source, struct endpoint *destination)
{
	const uint8_t *ip = r->data;

	if (r->len < IPV6_HEADER || ip[0] >> 4 != 6)
		return;
	inet_ntop(AF_INET6, ip + 8, source->address, sizeof(source->address));
	inet_ntop(AF_INET6, ip + 24, destination->address, sizeof(destination->address));
	skip_at_most(r, IPV6_HEADER);
	put_ports(r, skip_extensions(r, ip[6]), source, destination);
}

void endpoints_of(const uint8_t *frame, size_t len, struct endpoint *source,
		  struct endpoint *destination)
{
	struct rest r = { frame, len };
	uint16_t proto;

	*source = *destination = (struct endpoint){ .port = -1 };
	if (len < ETH_HLEN)
		return;
	put_mac(frame, destination);
	put_mac(frame + ETH_ALEN, source);
	proto = be16(frame + 2 * ETH_ALEN);
	skip_at_most(&r, ETH_HLEN);
	while ((proto == ETH_P_8021Q || proto == ETH_P_8021AD) && r.len >= VLAN_TAG) {
		proto = be16(r.data + 2);
		skip_at_most(&r, VLAN_TAG);
	}
	if (proto == ETH_P_IP)
		put_ipv4(&r, source, destination);
	else if (proto == ETH_P_IPV6)
		put_ipv6(&r, source, destination);
}

const char *format_endpoint(const struct endpoint *e, char buf[ENDPOINT_TEXT_MAX])
{
	const char *address = *e->address ? e->address : "-";
	bool is_ipv6 = strchr(address, ':');

	if (e->port < 0)
		snprintf(buf, ENDPOINT_TEXT_MAX, "%s", address);
	else
		snprintf(buf, ENDPOINT_TEXT_MAX, is_ipv6 ? "[%s]:%d" : "%s:%d", address, e->port);
	return buf;
}
