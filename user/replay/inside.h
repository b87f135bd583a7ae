/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The packet inside of a captured frame's tunnels (include/tunnel.h), as a separate frame. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "capture.h"
#include "counters.h"
#include "tunnel.h"

struct inside {
	uint32_t tunnels; /* DEDUP_TUNNEL_BITs of the opened ones; 0: the frame is in no tunnel */
	/* The next tunnel, or the inner packet, is cut or malformed: a filter that opens the tunnel
	 * learns nothing from the frame.
	 */
	bool is_faulty;
	uint32_t faulty_kind;	   /* enum dedup_tunnel; DEDUP_TUNNELS_CNT: unknown */
	enum dedup_reason because; /* if is_faulty */
	/* A hash of the tunnels' destinations: their unicast IP destinations, and their numbers
	 * (VNIs, keys, TEIDs, PPPoE sessions and MPLS labels; not ERSPAN sessions, which name the
	 * mirror). 0: the frame is in no tunnel, or only has VLAN tags.
	 */
	uint32_t to;
	/* If tunnels were opened, and none is faulty: the inner packet after an Ethernet header
	 * without VLAN tags. All other fields are the outer frame's.
	 */
	struct capture_frame frame;
	bool has_ethernet; /* false: the Ethernet header is made from the outer MACs */
};

/* Opens the tunnels that `t` names. `buffer` has `size` bytes, at least 64, for the inner frame. */
void inside_open(struct inside *out, const struct capture_frame *f, const struct dedup_tunnels *t,
		 uint8_t *buffer, uint32_t size);
