/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Field expressions: where a value lies in a packet, as profiles write it, and what is made of
 * them: loads, gates and ids of a struct dedup_stream. Pure; the text may be anything.
 */
#ifndef XDP_DEDUP_FIELD_H
#define XDP_DEDUP_FIELD_H

#include <stdint.h>

#include "digest.h"
#include "stream.h"

#define FIELD_MAX DEDUP_DIGEST_MAX /* no frame goes further: bytes from any base */
#define FIELD_SEGMENTS_MAX 4	   /* of an id */
#define FIELD_SAYS_MAX 192

/* A text that is being read. */
struct scan {
	const char *at;		   /* what comes next; after an error: what is wrong */
	char says[FIELD_SAYS_MAX]; /* after an error: a sentence without its full stop */
};

/* What an id has so far. */
struct field_id {
	struct dedup_stream *stream; /* its loads, loads_cnt, digest, digest_max */
	uint32_t segments, bytes;
};

/* Steps over blanks. */
void scan_blanks(struct scan *s);

/* "0x88fb" → bytes, the first byte first; 2 digits for each of them, in either case. Returns 0; or
 * -EINVAL after logging that `what` ("a mask") is not so.
 */
int scan_hex(struct scan *s, const char *what, uint8_t *out, uint32_t bytes);

/* "payload+0:1/0xc0 == 0x80" → all of *out but `exempt`. 0 or -EINVAL. */
int scan_gate(struct scan *s, struct dedup_gate *out);

/* "payload+10:8/0xffffffffffffffff" → *out: 1 to 8 bytes, and nothing behind them. `what` says what
 * they are ("a sequence number"). 0 or -EINVAL.
 */
int scan_integer(struct scan *s, const char *what, struct dedup_load *out);

/* How many bits of the word are an integer in network byte order: those of the load's mask, one
 * behind the other; *shift: of the word, its bytes swapped, before them. 0: the mask has gaps.
 */
uint32_t load_integer(const struct dedup_load *load, uint32_t *shift);

/* One part of an id, up to a blank or the text's end: a segment BASE+OFFSET:LENGTH[/MASK], or a
 * digest, payload[:MAX], packet[:MAX] or frame[:MAX]. Adds it to the id's. Returns the enum
 * dedup_base of a segment, DEDUP_BASES for a digest; or -EINVAL if it is wrong, or one too many.
 */
int scan_id_part(struct scan *s, struct field_id *id);

#endif
