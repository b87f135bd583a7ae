/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes Ethernet headers for packets of other link types. Pure.
 *
 * https://www.tcpdump.org/linktypes.html
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <linux/if_ether.h>

struct link_header {
	struct ethhdr ethernet;
	uint32_t replaced; /* length of the packet's own header */
	uint32_t index;	   /* of the interface; 0: the link type has none */
	bool outgoing;
};

/* Returns whether packets of this link type (DLT_*, of pcap/dlt.h) can become Ethernet frames.
 * Packets of DLT_EN10MB are Ethernet frames already.
 */
bool link_is_known(int dlt);

/* Makes the header of a packet of another known link type, of which `len` bytes were captured.
 * `mac` is this host's. capture_open() lists how fields are converted. Returns false if the packet
 * is no frame, or too short to tell.
 */
bool link_make_header(struct link_header *h, int dlt, const uint8_t mac[ETH_ALEN],
		      const uint8_t *data, uint32_t len);
