/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Counts packets and duplicates by source address, to find the senders of most duplicates. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SOURCES_MAX 65536 /* further ones are counted together */
#define SOURCE_TEXT_MAX 64

/* A source: its IP address, or the frame's source MAC if it is no IP packet. */
struct source {
	uint8_t address[16]; /* network order; then zeros */
	uint64_t bytes;	     /* of the address: 4, 16 or 6; 0: the frame is too short */
	uint64_t packets, duplicates;
};

struct sources; /* takes some 10 MB with SOURCES_MAX sources */

/* Returns the address: "192.0.2.1", "2001:db8::1", "02:00:00:00:00:01". */
const char *source_text(const struct source *s, char text[SOURCE_TEXT_MAX]);

struct flow;
struct sources *sources_open(void); /* NULL: no memory */
void sources_close(struct sources *s);

/* Counts a packet of this frame's source. f: from flow_of(). Returns 0; or -ENOMEM, and does not
 * count it.
 */
int sources_note(struct sources *s, const struct flow *f, const uint8_t *frame, uint32_t len,
		 bool is_duplicate);

/* Writes at most `max` sources with most duplicates, in descending order; each has at least one.
 * Returns their number.
 */
int sources_top(struct sources *s, struct source *out, int max);
