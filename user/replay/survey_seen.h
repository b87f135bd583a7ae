/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A packet in the survey, and the ids that are found in it. */
#ifndef XDP_DEDUP_SURVEY_SEEN_H
#define XDP_DEDUP_SURVEY_SEEN_H

#include "survey_state.h"

/* One packet. */
struct seen {
	const uint8_t *frame;
	uint32_t have, len; /* bytes that were captured; of the frame, zeros behind those */
	uint32_t wire_len, iface, destination;
	uint16_t sender;
	uint8_t mac, to_mac, host;
	struct flow flow;
	uint32_t tunnels;	  /* that the packet was in; what is above is of the inner packet */
	bool has_ethernet;	  /* the inner packet, too, had an Ethernet header */
	const uint8_t *outer_mac; /* of the outermost frame: its destination; NULL: cut off */
	bool numbered;		  /* the sender's IP ids tell its packets apart */
	bool is_copy;		  /* this IP packet has come before */
};

/* An id of this packet, and what is known about the id. */
struct survey_lookup {
	uint32_t stream;
	struct candidate *candidate;
	uint64_t key;
	uint64_t content; /* a digest of what copies have in common; 0: not known */
	uint64_t age_ns;  /* of a duplicate */
	/* Of a numbered stream: survey_numbers.h. */
	uint64_t sender, number;
	uint32_t round;
	bool is_late; /* older than the history */
};

#endif
