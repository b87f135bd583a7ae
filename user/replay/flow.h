/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a frame is, as the survey tells traffic apart: its protocol, sender and destination. Pure.
 */
#ifndef XDP_DEDUP_FLOW_H
#define XDP_DEDUP_FLOW_H

#include <stdbool.h>
#include <stdint.h>

#include "survey_result.h"

struct flow {
	enum survey_kind kind;
	uint16_t number;      /* as in struct survey_destination */
	bool multicast;	      /* an IP multicast group */
	bool ipv4, ipv6;      /* with a complete header */
	uint8_t to[16];	      /* IP destination; IPv4: in the first 4 bytes, the others 0 */
	uint8_t from[16];     /* IP source, as in `to` */
	uint16_t ip_id;	      /* of IPv4; else 0 */
	bool bare;	      /* TCP that only acknowledges or resets: no data, SYN, FIN */
	uint16_t ethertype;   /* behind the VLAN tags, in network order */
	uint32_t tag_at;      /* behind that EtherType */
	uint32_t payload_at;  /* UDP's payload, if it is there; else 0 */
	uint32_t payload_len; /* as UDP's header has it */
	uint32_t end;	      /* behind the IP packet, as its header has it; 0: no IP */
};

/* Fills in *out for a frame of `len` bytes. A malformed frame counts by its headers up to the
 * error.
 */
void flow_of(struct flow *out, const uint8_t *frame, uint32_t len);

/* Returns a hash of the source address, which tells two senders apart; port and MAC do not count.
 */
uint32_t flow_sender(const struct flow *f);

/* Returns a hash of the destination host, not 0, for unicast; 0 for multicast. */
uint8_t flow_host(const struct flow *f);

/* Does the flow belong to this destination? */
bool flow_is_to(const struct flow *f, const struct survey_destination *d);

/* Returns a hash of the destination. */
uint32_t flow_destination(const struct flow *f);

#endif
