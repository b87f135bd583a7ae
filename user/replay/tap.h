/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A capture file's bytes on their way to libpcap: the kind of the file, how far it is read, and
 * what pcapng's blocks contain.
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

/* Returns the stream that libpcap is to read: all of the source; NULL with errno set if there is
 * no memory. Closing it closes the source, too.
 */
FILE *tap_stream(struct tap *t);

/* Returns the command that unpacks the file, for example "zcat", if it is compressed; else NULL.
 */
const char *tap_unpacker(const struct tap *t);

#endif
