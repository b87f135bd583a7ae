/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The UDP datagram in an Ethernet frame that has not gone through the network stack: its position,
 * its sender, and whether it arrived intact. Frames are hostile: any bytes, of any length.
 */
#ifndef XDP_DEDUP_LIB_DATAGRAM_H
#define XDP_DEDUP_LIB_DATAGRAM_H

#include "xdp-dedup-receive.h"

enum datagram_kind {
	DATAGRAM_UDP,	     /* whole, with a good checksum, or (IPv4) none */
	DATAGRAM_OTHER,	     /* no datagram, or a fragment of one: nothing here was checked */
	DATAGRAM_BROKEN,     /* lengths contradict each other, or a checksum is wrong */
	DATAGRAM_UNFINISHED, /* the checksum covers only the addresses: a local sender has left the
			      * rest to its device, and the frame has not left the machine
			      */
};

/* Fills in p->payload, p->payload_len and p->source of p->data and p->len; NULL and 0 unless it is
 * DATAGRAM_UDP or DATAGRAM_UNFINISHED.
 */
enum datagram_kind datagram_read(struct xdp_dedup_packet *p);

#endif
