/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The packet program and its hand, bpf/xdp_dedup.bpf.c, compiled for user space. A process has one:
 * program_open() begins anew with another filter. Not for several threads.
 */
#ifndef XDP_DEDUP_PROGRAM_H
#define XDP_DEDUP_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "counters.h"
#include "id.h"
#include "memory.h"

/* A program for this filter, of which nothing is known yet: *cfg is copied, with its secrets, and
 * with its field `replay` set. `memory`: with cfg->blocks blocks; without, ids can be identified,
 * and nothing else. The time is now_ns, in ns of any clock, at least 2 windows. 0, or -ENOMEM.
 */
int program_open(const struct dedup_config *cfg, bool memory, uint64_t now_ns);
void program_close(void);

/* The filter's memory: dedup_blocks() of them; NULL if it was opened without. */
struct dedup_block *program_blocks(void);

/* The filter's state, and the program's record, as the kernel's maps have them. */
struct dedup_state *program_state(void);
struct dedup_record *program_record(void);

/* A step of the hand at this time. Returns how many ns later the next one is to come. */
uint64_t program_step(uint64_t now_ns);

/* Runs the program on a frame of `len` bytes, which may be of any length: what is behind a page's
 * worth lies in further buffers, where headers are not read. Returns the XDP verdict. If ids have a
 * digest, program_identify() or program_parse() comes before, for each frame: a digest that
 * program_identify() has computed is not computed again.
 */
int program_run(const void *frame, uint32_t len);

/* The counters of stream n, 0 in filters without streams; the caller may set those of reasons to 0.
 */
struct dedup_counters *program_counters(uint32_t n);

/* What the program makes of a frame, up to where it would look an id up. */
struct program_id {
	uint32_t stream; /* that the frame is counted in */
	int32_t reason;	 /* -1: there is an id; else the enum dedup_reason why there is none */
	uint32_t words;	 /* of the id */
	uint32_t messages; /* of a numbered stream: in the packet, the id is the first one's; else 1 */
	uint32_t realm;
	struct dedup_id id; /* zeros behind its words */
	/* Bytes of the frame that decide all this, from its front: what is behind does not matter.
	 * All of them, where something is wrong with the frame.
	 */
	uint32_t extent;
};

/* Says what stream the frame is of, and which id it has. An IHAVE, which has many, counts as
 * ihave_new.
 */
void program_identify(const void *frame, uint32_t len, struct program_id *out);

/* program_identify() in two steps, for each of several streams, in a filter with streams:
 * program_parse() takes a frame, which must stay as it is; program_identify_as() identifies it by
 * this stream's rules alone, as if the streams before it did not exist.
 */
void program_parse(const void *frame, uint32_t len);
void program_identify_as(uint32_t stream, struct program_id *out);

#endif
