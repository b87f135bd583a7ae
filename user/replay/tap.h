/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A stream between a capture file and libpcap. It finds the file's kind, counts bytes, and reads
 * pcapng's blocks.
 */
#ifndef XDP_DEDUP_TAP_H
#define XDP_DEDUP_TAP_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "blocks.h"

struct tap {
	FILE *source;
	uint8_t magic[8]; /* the file's first bytes */
	uint32_t magic_cnt, magic_given;
	uint64_t bytes_read, file_bytes;
	bool is_pcapng;
	struct blocks blocks;
	char buffer[BLOCKS_AHEAD_BYTES]; /* of libpcap's stream */
};

/* Reads the first bytes of the stream. Returns 0, or -errno. */
int tap_begin(struct tap *t, FILE *source, struct ifaces *ifaces);

/* Returns the stream for libpcap, with all bytes of the source; NULL with errno set if there is no
 * memory. Closing it closes the source, too.
 */
FILE *tap_stream(struct tap *t);

/* Returns the command that unpacks the file if it is compressed, for example "zcat"; else NULL. */
const char *tap_unpacker(const struct tap *t);

#endif
