/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The packet program and its hand, bpf/xdp_dedup.bpf.c, compiled for user space. A process has one
 * program: program_open() restarts it with another filter. Not thread-safe.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "counters.h"
#include "id.h"
#include "memory.h"

/* Opens the program for an empty filter. Copies *cfg, with its secrets, and sets the field `replay`
 * of the copy. memory: allocate the filter's blocks; without them ids can be identified, but not
 * looked up. now_ns: the time, in ns of any clock, at least 2 windows. Returns 0, or -ENOMEM.
 */
int program_open(const struct dedup_config *cfg, bool memory, uint64_t now_ns);
void program_close(void);

/* Opens the program without memory, for frames to any MAC: only the kernel knows this host's MACs.
 * any_vlan: also for frames whose tags a VLAN device has taken away.
 */
void program_open_to_identify(const struct dedup_config *cfg, bool any_vlan);

/* Returns the dedup_blocks() blocks of the filter's memory; NULL if it was opened without memory. */
struct dedup_block *program_blocks(void);

/* Return the filter's state and the program's record: the content of the kernel's maps. */
struct dedup_state *program_state(void);
struct dedup_record *program_record(void);

/* Steps the hand at this time. Returns the ns until the next step. */
uint64_t program_step(uint64_t now_ns);

/* Runs the program on a frame of any length. Bytes beyond a page are in further buffers, where the
 * program reads no headers. Returns the XDP verdict. If ids have a digest, the caller calls
 * program_identify() or program_parse() first, for each frame: a digest that program_identify() has
 * computed is not computed again.
 */
int program_run(const void *frame, uint32_t len);

/* Returns the counters of stream n; in filters without streams n is 0. The caller may clear the
 * counters of reasons.
 */
struct dedup_counters *program_counters(uint32_t n);

/* The program's result for a frame before the lookup of the id. */
struct program_id {
	uint32_t stream; /* the stream that counts the frame */
	int32_t reason;	 /* -1: there is an id; else the enum dedup_reason why there is none */
	uint32_t words;	 /* of the id */
	uint32_t messages; /* of a numbered stream: in the packet; the id is that of the first. Else 1 */
	uint32_t realm;
	struct dedup_id id; /* zeros behind its words */
	/* Bytes from the frame's front that decide this result; all bytes if the frame is malformed.
	 */
	uint32_t extent;
};

/* Finds the frame's stream and id. An IHAVE, which has many ids, counts as ihave_new. */
void program_identify(const void *frame, uint32_t len, struct program_id *out);

/* Do what program_identify() does, for each of several streams of a filter: program_parse() takes a
 * frame, which the caller must not change; program_identify_as() identifies it by the rules of this
 * stream only, as if the streams before it did not exist.
 */
void program_parse(const void *frame, uint32_t len);
void program_identify_as(uint32_t stream, struct program_id *out);
