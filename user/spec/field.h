/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Parses field expressions of profiles, which say where a value lies in a packet, to loads, gates
 * and ids of a struct dedup_stream. Pure; the text may be anything.
 */
#pragma once

#include <stdint.h>

#include "digest.h"
#include "stream.h"

#define FIELD_MAX DEDUP_DIGEST_MAX /* bytes from any base: no frame is longer */
#define FIELD_SEGMENTS_MAX 4	   /* of an id */
#define FIELD_SAYS_MAX 192

/* A text that is being read. */
struct scan {
	const char *at;		   /* the next character; after an error: the wrong one */
	char says[FIELD_SAYS_MAX]; /* after an error: a sentence without its full stop */
};

/* The parts of an id that were read so far. */
struct field_id {
	struct dedup_stream *stream; /* its loads, loads_cnt, digest, digest_max */
	uint32_t segments, bytes;
};

/* Steps over blanks. */
void scan_blanks(struct scan *s);

/* Reads hex such as "0x88fb" into bytes, the first byte first, 2 digits for each, in either case.
 * Returns 0; or -EINVAL, with a sentence in s->says that `what` ("a mask") is wrong.
 */
int scan_hex(struct scan *s, const char *what, uint8_t *out, uint32_t bytes);

/* Reads a gate, as "payload+0:1/0xc0 == 0x80", into *out except `exempt`. In a little-endian gate,
 * as "payload+0:2le == 0x0102", mask and value are numbers: in the packet the byte 02 comes first.
 * Returns 0 or -EINVAL.
 */
int scan_gate(struct scan *s, struct dedup_gate *out);

/* An integer that is read from packets. */
struct field_integer {
	struct dedup_load load;
	uint32_t little; /* 1: its first byte is the least significant one */
	uint32_t bits;	 /* 1 to 64 */
	uint32_t shift;	 /* of the load's word as an integer, before these bits */
};

/* Reads an integer such as "payload+10:8/0xffffffffffffffff", or "payload+4:4le", up to the text's
 * end. what: its name ("a sequence number"). Returns 0; -EINVAL if it is wrong, or if its mask has
 * gaps.
 */
int scan_integer(struct scan *s, const char *what, struct field_integer *out);

/* Reads one part of an id, up to a blank or the text's end, and adds it to the id: a segment
 * BASE+OFFSET:LENGTH[/MASK]; or a digest, such as "payload", "packet:MAX", "frame[OFFSET:MAX]" or
 * "payload[OFFSET:-TRAILER]". Returns the enum dedup_base of a segment, DEDUP_BASES for a digest;
 * or -EINVAL if it is wrong, or one too many.
 */
int scan_id_part(struct scan *s, struct field_id *id);
