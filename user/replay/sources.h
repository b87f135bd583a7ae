/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which senders send most duplicates: counts by source address. */
#ifndef XDP_DEDUP_SOURCES_H
#define XDP_DEDUP_SOURCES_H

#include <stdint.h>

#define SOURCES_MAX 65536 /* different ones; further ones are counted together */
#define SOURCE_TEXT_MAX 64

/* A source: its IP address, or the frame's source MAC if it is no IP packet. */
struct source {
	uint8_t address[16]; /* network order; zeros behind */
	uint64_t bytes;	     /* of the address: 4, 16 or 6; 0: neither fits into the frame */
	uint64_t packets, duplicates;
};

struct sources; /* some 10 MB if there are as many as it takes */

/* "192.0.2.1", "2001:db8::1", "02:00:00:00:00:01" */
const char *source_text(const struct source *s, char text[SOURCE_TEXT_MAX]);

struct sources *sources_open(void); /* NULL: no memory */
void sources_close(struct sources *s);

/* Counts a packet of this frame's source. Returns 0; -ENOMEM, and it is not counted. */
int sources_note(struct sources *s, const uint8_t *frame, uint32_t len, int is_duplicate);

/* Writes the sources with most duplicates, at least one each, in falling order: at most `max`.
 * Returns how many.
 */
int sources_top(struct sources *s, struct source *out, int max);

#endif
