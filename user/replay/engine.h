/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Runs the packet program with the caller's clock: in user space, or in the kernel by
 * BPF_PROG_TEST_RUN. With equal configurations, frames and times both give equal answers: they use
 * the configuration's secrets, have the credit of one CPU, and step the hand when its timer would
 * fire.
 */
#pragma once

#include <stdint.h>

#include "config.h"
#include "open_filter.h"
#include "test_run.h"

enum engine_kind { ENGINE_USER, ENGINE_KERNEL };

struct engine;

/* Opens an engine with an empty filter, which begins at time 0. *cfg is complete, with its secrets
 * (secrets_set()), and `several` is 0. `mac`: frames to it are for this host; NULL: only
 * multicast and broadcast are, unless the configuration takes frames for any host. Only one
 * ENGINE_USER may be open at a time. ENGINE_KERNEL needs rights, keeps this thread on its CPU, and
 * touches no interface. Returns 0, and the caller closes *out with engine_close(); or -errno
 * (logged).
 */
int engine_open(enum engine_kind kind, const struct dedup_config *cfg, const uint8_t mac[6],
		struct engine **out);
void engine_close(struct engine *e); /* accepts NULL */

/* Writes this MAC, unless it is NULL, into an empty record (record.h) of a program with this
 * configuration.
 */
void engine_set_mac(const struct dedup_config *cfg, const uint8_t mac[6], struct dedup_record *r);

/* Runs the program on a frame of `len` bytes that arrives at this time, in ns since engine_open().
 * An earlier time than the last call's counts as the last call's. ENGINE_USER: the frame must be
 * the one of the last program_identify(). Returns 0; or -errno (logged) if the kernel does not run
 * it: -E2BIG or -EINVAL for a frame that is too large for BPF_PROG_TEST_RUN or shorter than an
 * Ethernet header.
 */
int engine_run(struct engine *e, const void *frame, uint32_t len, uint64_t ns, struct answer *out);

/* Sets the interface of the next frames, for the accounts of numbered streams. It need not exist.
 * 0: no interface.
 */
void engine_set_interface(struct engine *e, uint32_t ifindex);

/* Returns the filter: its configuration, state, record and blocks. */
const struct filter *engine_filter(const struct engine *e);
