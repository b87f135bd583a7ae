/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Gossip packets, as they would come in from a network. */
#ifndef XDP_DEDUP_TESTS_PACKET_H
#define XDP_DEDUP_TESTS_PACKET_H

#include <stdbool.h>
#include <stdint.h>

#include "gsp.h"
#include "id.h"

#define GOSSIP_PORT 8001
#define FRAME_MAC                   \
	{                           \
		2, 0, 0, 0, 0, 0x10 \
	} /* where frames go, if nothing else is said */
#define FRAME_MAC_TEXT "02:00:00:00:00:10"
#define FRAME_MAX 16384
#define TAGS_MAX 3
#define EXTENSIONS_MAX 7

struct id {
	uint8_t bytes[GSP_ID_BYTES];
};

static const struct id NO_ID;

/* One that was never returned before in this process. */
struct id id_fresh(void);

/* As hashes take it. */
struct dedup_id id_key(const struct id *id);

/* What a frame is made of. All zero: an EVENT over IPv4 to GOSSIP_PORT. */
struct frame_plan {
	uint16_t tags[TAGS_MAX]; /* EtherTypes of the VLAN tags, outermost first; 0 ends */
	bool ipv6;
	uint8_t option_words;		    /* of IPv4 options */
	uint8_t extensions[EXTENSIONS_MAX]; /* protocol numbers of IPv6 extension headers */
	uint8_t extensions_cnt;
	uint8_t extension_len; /* as each of their length fields says it */
	uint8_t type;	       /* enum gsp_type; 0: EVENT */
	uint8_t count;	       /* ids; 0: one */
	uint32_t body;	       /* bytes behind the ids */
	uint32_t padding;      /* bytes behind the IP packet */
	uint8_t to_mac[6];     /* all zero: FRAME_MAC */
	uint8_t to[16];	       /* destination address, IPv4 in the first 4 bytes; all zero: any */
};

/* A frame and where its headers begin. */
struct frame {
	uint32_t len;
	uint32_t padding; /* of len, bytes behind the IP packet */
	uint32_t ip, udp, gsp;
	uint8_t data[FRAME_MAX];
};

/* Builds the frame with as many of ids as it has. Its lengths agree with each other;
 * its checksums are 0.
 */
void frame_build(struct frame *f, const struct frame_plan *p, const struct id *ids);

/* Overwrites bytes of a frame with a number in network order. */
void frame_put(struct frame *f, uint32_t offset, uint32_t bytes, uint32_t value);

#endif
