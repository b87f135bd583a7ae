/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The packet program with a clock of the caller's: in user space, or in the kernel by
 * BPF_PROG_TEST_RUN. With the same configuration, frames and times both give the same answers: they
 * take its secrets, have one CPU's credit, and step the hand when its timer would have fired.
 */
#ifndef XDP_DEDUP_ENGINE_H
#define XDP_DEDUP_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"
#include "test_run.h"

enum engine_kind { ENGINE_USER, ENGINE_KERNEL };

struct engine;

/* An engine with an empty filter, which begins at time 0. *cfg is complete, with its secrets
 * (secrets_draw()), and `several` is 0. `mac`: frames for this one are for this host; NULL: none
 * but multicast and broadcast, unless the configuration says that all are. Only one engine of
 * ENGINE_USER at a time; ENGINE_KERNEL needs rights, keeps this thread on its CPU, and touches no
 * interface. 0, or -errno (logged). Closed with engine_close().
 */
int engine_open(enum engine_kind kind, const struct dedup_config *cfg, const uint8_t mac[6],
		struct engine **out);
void engine_close(struct engine *e); /* NULL is fine */

/* Has an empty record (record.h), of a program with this configuration, name this MAC; NULL: none. */
void engine_set_mac(const struct dedup_config *cfg, const uint8_t mac[6], struct dedup_record *r);

/* What the program does with a frame of `len` bytes that comes in at this time, in ns since
 * engine_open(). A time before that of an earlier call counts as that one. 0; or -errno (logged),
 * if the kernel does not run it: -E2BIG or -EINVAL for a frame too large for BPF_PROG_TEST_RUN or
 * shorter than an Ethernet header.
 */
int engine_see(struct engine *e, const void *frame, uint32_t len, uint64_t ns, struct answer *out);

/* The same of the frame that program_identify() was asked about last: it spares some of the work. */
int engine_see_identified(struct engine *e, const void *frame, uint32_t len, uint64_t ns,
			  struct answer *out);

/* The filter's state, as its program has it. */
const struct dedup_state *engine_state(const struct engine *e);

#endif
