/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The packet inside of a captured frame's tunnels (include/tunnel.h), as a frame of its own. Pure.
 */
#ifndef XDP_DEDUP_INSIDE_H
#define XDP_DEDUP_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "capture.h"
#include "counters.h"
#include "tunnel.h"

struct inside {
	uint32_t tunnels; /* DEDUP_TUNNEL_BITs of those that were opened; 0: the frame is in none */
	/* The next tunnel, or the inner packet, is cut or malformed: a filter that opens the tunnel
	 * learns nothing from the frame.
	 */
	bool is_faulty;
	uint32_t faulty_kind; /* enum dedup_tunnel; DEDUP_TUNNELS_CNT: the snap length may be why */
	enum dedup_reason because; /* of what is_faulty */
	/* A hash of where the tunnels lead: their unicast IP destinations, and their numbers, which
	 * are VNIs, keys, TEIDs, PPPoE sessions and MPLS labels. ERSPAN sessions are not: they name
	 * the mirror. 0: the frame is in no tunnel, or behind VLAN tags alone.
	 */
	uint32_t to;
	/* If tunnels were opened, and none is faulty: the inner packet behind an Ethernet header
	 * without VLAN tags, as if it had been captured so. Everything else is the outer frame's.
	 */
	struct capture_frame frame;
	bool has_ethernet; /* else the Ethernet header is made of the outer one's MACs */
};

/* Opens what `t` names. `buffer` has `size` bytes, at least 64, for the inner frame. */
void inside_open(struct inside *out, const struct capture_frame *f, const struct dedup_tunnels *t,
		 uint8_t *buffer, uint32_t size);

#endif
