/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The blocks of a pcapng file, for the one fact that libpcap does not report: the interface of each
 * packet. The reader gets the file's bytes as libpcap reads them, in pieces of any length, and then
 * returns the interface of one packet after the other. It need not handle data that libpcap refuses
 * as corrupt, as libpcap then reads no further packet. Pure.
 *
 * https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-03.html
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ifaces.h"

/* The most interfaces in one section, because libpcap stores them all. */
#define BLOCKS_IFACES_MAX 65536

/* How far libpcap reads ahead: the buffer of its stream. */
#define BLOCKS_AHEAD_BYTES (64 * 1024)
#define BLOCKS_SNAP \
	(16 * 1024 * 1024) /* of pcapng, whose blocks may be longer than pcap's packets */
#define BLOCKS_QUEUE 8192  /* packets: a block has at least 12 bytes */

struct blocks {
	enum { BLOCK_HEAD, BLOCK_ORDER, BLOCK_SNAP, BLOCK_OPTION, BLOCK_NAME, BLOCK_PACKET } step;
	uint32_t skip;		  /* bytes to skip before the next field */
	uint32_t field_len, have; /* bytes of that field: its length, and how many were read */
	uint8_t field[IFACE_NAME_SIZE];
	uint32_t type, length; /* the block's */
	uint32_t left;	       /* bytes of its body after that field */
	bool swapped;	       /* the section has the other byte order */
	bool too_many;	       /* more than BLOCKS_IFACES_MAX */

	struct ifaces *ifaces;
	uint32_t section, section_ifaces;
	uint16_t numbers[IFACES_MAX]; /* of the section's interfaces */

	uint16_t queue[BLOCKS_QUEUE];
	uint32_t pushed, popped;
};

_Static_assert(BLOCKS_AHEAD_BYTES / 12 < BLOCKS_QUEUE, "a buffer's packets fit");

/* Begins a file. Interfaces are added to `ifaces`, which must live as long as *b. */
void blocks_begin(struct blocks *b, struct ifaces *ifaces);

/* Reads the file's next bytes, and sets each interface's snap length in them to BLOCKS_SNAP:
 * libpcap refuses files whose interfaces have different ones. At most BLOCKS_AHEAD_BYTES of the
 * bytes may belong to packets that were not popped yet, in addition to the packet that is being
 * read.
 */
void blocks_read(struct blocks *b, uint8_t *bytes, size_t len);

/* Returns the interface of the next packet, below ifaces->cnt. */
uint32_t blocks_pop(struct blocks *b);
