// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "link.h"

#include <arpa/inet.h>
#include <linux/if_arp.h>
#include <linux/if_packet.h>
#include <pcap/dlt.h>
#include <pcap/sll.h>
#include <stddef.h>
#include <string.h>

/* Smaller values are lengths, or Linux' numbers for protocols without an EtherType. */
#define ETHERTYPE_MIN ETH_P_802_3_MIN
#define TAGS_MAX 2

static const uint8_t BROADCAST[ETH_ALEN] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
static const uint8_t SOME_GROUP[ETH_ALEN] = { 0x01, 0x00, 0x5e };

bool link_is_known(int dlt)
{
	switch (dlt) {
	case DLT_EN10MB:
	case DLT_LINUX_SLL:
	case DLT_LINUX_SLL2:
	case DLT_RAW:
	case DLT_IPV4:
	case DLT_IPV6:
	case DLT_NULL:
	case DLT_LOOP:
		return true;
	default:
		return false;
	}
}

/* Writes the MAC of the IP destination's group (RFC 1112, 6.4; RFC 2464, 7). Returns false if the
 * packet is not to a group. `type` is in host order.
 */
static bool group_mac(uint8_t mac[ETH_ALEN], uint16_t type, const uint8_t *ip, uint32_t len)
{
	if (type == ETH_P_IP && len >= 20 && ip[16] >= 224 && ip[16] < 240) {
		memcpy(mac, SOME_GROUP, 3);
		mac[3] = ip[17] & 0x7f;
		memcpy(mac + 4, ip + 18, 2);
		return true;
	}
	if (type == ETH_P_IPV6 && len >= 40 && ip[24] == 0xff) {
		memset(mac, 0x33, 2);
		memcpy(mac + 2, ip + 36, 4);
		return true;
	}
	return false;
}

/* Writes the group's MAC of a packet that may have VLAN tags. The kernel removes tags, and libpcap
 * inserts them again: the cooked header's protocol is then the tag's, and the packet's protocol
 * follows the tag.
 */
static void cooked_group_mac(uint8_t mac[ETH_ALEN], uint16_t type, const uint8_t *data, uint32_t len)
{
	for (int i = 0; i < TAGS_MAX && (type == ETH_P_8021Q || type == ETH_P_8021AD); i++) {
		if (len < 4)
			break;
		type = (uint16_t)(data[2] << 8 | data[3]);
		data += 4;
		len -= 4;
	}
	if (!group_mac(mac, type, data, len))
		memcpy(mac, SOME_GROUP, ETH_ALEN);
}

/* The fields of both versions of the cooked header, in host order. */
struct cooked {
	uint32_t header_bytes, index;
	uint16_t packet_type, hardware, mac_bytes, protocol;
	const uint8_t *mac;
};

static bool read_cooked(struct cooked *c, int dlt, const uint8_t *data, uint32_t len)
{
	struct sll_header v1;
	struct sll2_header v2;

	if (dlt == DLT_LINUX_SLL && len >= sizeof(v1)) {
		memcpy(&v1, data, sizeof(v1));
		*c = (struct cooked){ .header_bytes = sizeof(v1),
				      .packet_type = ntohs(v1.sll_pkttype),
				      .hardware = ntohs(v1.sll_hatype),
				      .mac_bytes = ntohs(v1.sll_halen),
				      .protocol = ntohs(v1.sll_protocol),
				      .mac = data + offsetof(struct sll_header, sll_addr) };
		return true;
	}
	if (dlt == DLT_LINUX_SLL2 && len >= sizeof(v2)) {
		memcpy(&v2, data, sizeof(v2));
		*c = (struct cooked){ .header_bytes = sizeof(v2),
				      .index = ntohl(v2.sll2_if_index),
				      .packet_type = v2.sll2_pkttype,
				      .hardware = ntohs(v2.sll2_hatype),
				      .mac_bytes = v2.sll2_halen,
				      .protocol = ntohs(v2.sll2_protocol),
				      .mac = data + offsetof(struct sll2_header, sll2_addr) };
		return true;
	}
	return false;
}

/* Returns whether the protocol is an EtherType: for some device types it is something else. */
static bool has_ethertype(const struct cooked *c)
{
	switch (c->hardware) {
	case ARPHRD_NETLINK:
	case ARPHRD_FRAD:
	case ARPHRD_IEEE80211:
	case ARPHRD_IEEE80211_PRISM:
	case ARPHRD_IEEE80211_RADIOTAP:
		return false;
	default:
		return c->protocol >= ETHERTYPE_MIN;
	}
}

static bool from_cooked(struct link_header *h, int dlt, const uint8_t *mac, const uint8_t *data,
			uint32_t len)
{
	struct cooked c;

	if (!read_cooked(&c, dlt, data, len) || !has_ethertype(&c))
		return false;
	h->replaced = c.header_bytes;
	h->index = c.index;
	h->ethernet.h_proto = htons(c.protocol);
	if (c.mac_bytes == ETH_ALEN)
		memcpy(h->ethernet.h_source, c.mac, ETH_ALEN);
	memcpy(h->ethernet.h_dest, mac, ETH_ALEN);
	switch (c.packet_type) {
	case PACKET_HOST:
		break;
	case PACKET_BROADCAST:
		memcpy(h->ethernet.h_dest, BROADCAST, ETH_ALEN);
		break;
	case PACKET_MULTICAST:
		cooked_group_mac(h->ethernet.h_dest, c.protocol, data + h->replaced,
				 len - h->replaced);
		break;
	default: /* to another host */
		h->ethernet.h_dest[5] ^= 1;
		h->outgoing = c.packet_type == PACKET_OUTGOING;
	}
	return true;
}

/* Returns the EtherType for the address family with which BSD's loopback packets begin, in the byte
 * order of the capturing host; each system has another number for IPv6. Returns 0 if there is none.
 */
static uint16_t family_type(const uint8_t *data)
{
	uint32_t family;

	memcpy(&family, data, sizeof(family));
	if (family > UINT16_MAX)
		family = __builtin_bswap32(family);
	switch (family) {
	case 2:
		return ETH_P_IP;
	case 10: /* Linux */
	case 23: /* Windows */
	case 24: /* NetBSD, OpenBSD */
	case 28: /* FreeBSD */
	case 30: /* macOS */
		return ETH_P_IPV6;
	default:
		return 0;
	}
}

static bool from_raw(struct link_header *h, int dlt, const uint8_t *mac, const uint8_t *data,
		     uint32_t len)
{
	uint16_t type = 0;

	if (dlt == DLT_IPV4)
		type = ETH_P_IP;
	else if (dlt == DLT_IPV6)
		type = ETH_P_IPV6;
	else if (dlt == DLT_RAW && len)
		type = *data >> 4 == 4 ? ETH_P_IP : *data >> 4 == 6 ? ETH_P_IPV6 : 0;
	else if (dlt != DLT_RAW && len >= 4)
		type = family_type(data);
	if (!type)
		return false;

	h->replaced = dlt == DLT_NULL || dlt == DLT_LOOP ? 4 : 0;
	h->ethernet.h_proto = htons(type);
	data += h->replaced;
	len -= h->replaced;
	if (type == ETH_P_IP && len >= 20 && (data[16] & data[17] & data[18] & data[19]) == 0xff)
		memcpy(h->ethernet.h_dest, BROADCAST, ETH_ALEN);
	else if (!group_mac(h->ethernet.h_dest, type, data, len))
		memcpy(h->ethernet.h_dest, mac, ETH_ALEN);
	return true;
}

bool link_make_header(struct link_header *h, int dlt, const uint8_t mac[ETH_ALEN],
		      const uint8_t *data, uint32_t len)
{
	memset(h, 0, sizeof(*h));
	if (dlt == DLT_LINUX_SLL || dlt == DLT_LINUX_SLL2)
		return from_cooked(h, dlt, mac, data, len);
	return from_raw(h, dlt, mac, data, len);
}
