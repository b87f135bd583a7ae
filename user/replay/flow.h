/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A frame's protocol, sender and destination, by which the survey groups traffic. Pure. */
#pragma once

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
	uint16_t ethertype;   /* after the VLAN tags, in network order */
	uint32_t tag_at;      /* offset after this EtherType */
	uint32_t payload_at;  /* offset of the UDP payload; 0: none */
	uint32_t payload_len; /* by the UDP header */
	uint32_t end;	      /* offset after the IP packet, by its header; 0: no IP */
};

/* Sets *out for a frame of `len` bytes, of a malformed one by the headers before the error. */
void flow_of(struct flow *out, const uint8_t *frame, uint32_t len);

/* Returns a hash of the source address, by which senders differ; without port and MAC. */
uint32_t flow_sender(const struct flow *f);

/* Returns a hash of the destination host, not 0, for unicast; 0 for multicast. */
uint8_t flow_host(const struct flow *f);

/* Returns whether the flow belongs to this destination. */
bool flow_is_to(const struct flow *f, const struct survey_destination *d);

/* Returns a hash of the destination. */
uint32_t flow_destination(const struct flow *f);
