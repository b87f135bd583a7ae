/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The UDP datagram in an Ethernet frame that bypassed the network stack: its position, its sender,
 * and whether it is intact. Frames are hostile: any bytes, of any length.
 */
#pragma once

#include "xdp-dedup-receive.h"

enum datagram_kind {
	DATAGRAM_UDP,	     /* complete, with a correct checksum, or (IPv4) without one */
	DATAGRAM_OTHER,	     /* no datagram, or a fragment: it was not checked */
	DATAGRAM_BROKEN,     /* lengths contradict each other, or a checksum is wrong */
	DATAGRAM_UNFINISHED, /* the checksum covers only the addresses: a local sender relies on
			      * checksum offload, and the frame has not left the machine
			      */
};

/* Reads the frame in p->data, of p->len bytes. Fills in p->payload, p->payload_len and p->source:
 * NULL and 0 unless it returns DATAGRAM_UDP or DATAGRAM_UNFINISHED.
 */
enum datagram_kind datagram_read(struct xdp_dedup_packet *p);
