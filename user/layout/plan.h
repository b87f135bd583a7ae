/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes a dedup_config for the kernel from a filter_spec, the user's request: sizes, the hand's
 * pace, and limits on learning.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "account.h"
#include "config.h"
#include "deliver.h"
#include "memory.h"
#include "known_ids.h"

/* Fills in everything but secrets, for a machine of `cpus` possible CPUs whose kernel
 * has `hz` jiffies a second. Pure. The layout's refusal() and streams_refusal() must have accepted
 * the spec. Returns 0; or
 * - -EOVERFLOW or -EDOM of the layout's size();
 * - -ERANGE if the window is too short for the hand to go round, or to clear an array;
 * - -EOPNOTSUPP if FIPS v1's own m does not keep the rate even for one id;
 * - -EFBIG if the memory of all sources would be too large;
 * - -ENOTUNIQ if the hash alone takes too many fresh ids for known ones (include/hash.h).
 */
int plan_config(const struct filter_spec *spec, unsigned int cpus, unsigned int hz,
		struct dedup_config *out);

/* Returns whether the rate is above the requested one, by more than its rounding to fpr_e18. */
bool plan_exceeds_rate(const struct dedup_config *c);

/* Returns whether the rate is so far above the requested one that plan_local() refuses it. */
bool plan_loses_most(const struct dedup_config *c);

/* Returns a rate that the hash allows for this capacity, a little above the lowest one. */
double plan_hash_fpr(const struct filter_spec *spec);

/* Sets the fields that are in jiffies, for a kernel with hz jiffies a second. */
void plan_set_jiffies(struct dedup_config *c, unsigned int hz);

/* Checks that the layout and the streams accept the spec. Returns 0; -EINVAL (logged) if not, on
 * any machine and for any running filter: the user has misused options.
 */
int plan_check(const struct filter_spec *spec);

/* Does plan_check(), then plan_config() for this machine. Logs errors; and, if m and k are given,
 * which capacity or rate the filter cannot keep.
 */
int plan_local(const struct filter_spec *spec, struct dedup_config *out);

/* Does plan_config() for this machine, and logs nothing. Returns -EINVAL if the layout or the
 * streams refuse the spec.
 */
int plan_silently(const struct filter_spec *spec, struct dedup_config *out);

/* Writes the filter's promise to buf, of PLAN_PROMISE_MAX bytes, as in "1000000 ids a window of
 * 10m, at most 0.0001 of fresh events lost". Returns buf.
 */
#define PLAN_PROMISE_MAX 160
const char *plan_promise(const struct dedup_config *c, char *buf);

/* Adapts *c, of a filter on another machine, to this machine's kernel. */
void plan_localize(struct dedup_config *c);

/* Makes any plan *c the configuration of the next program of a filter with the configuration *old.
 * Memory, ageing and secrets are those of *old; streams that are kept (kept.h) keep their realms
 * and slots. Returns 0; -ENOTUNIQ if the scheme has no key, so that ids of a new realm would be
 * taken for ids in the memory; -ENOSPC if the memory lacks what the streams need: a table of
 * sources, or room for more than one id; another -errno if there are no random numbers.
 */
int plan_next_program(const struct dedup_config *old, struct dedup_config *c);

/* Returns whether plan *c has the memory of a filter with the configuration *old. */
bool plan_is_same_memory(const struct dedup_config *old, const struct dedup_config *c);

/* Makes *c, a plan, the configuration of the successor (include/predecessor.h) of a filter with the
 * configuration *old. Secrets are those of *old; streams that are kept keep their realms and slots.
 * Returns 0; -errno if there are no random numbers.
 */
int plan_next_filter(const struct dedup_config *old, struct dedup_config *c);

/* Returns the most ids whose bits may be in one generation, under any load: the filter is sized to
 * keep the rate fpr with these. They are more than the capacity, by ids that arrive before the hand
 * reacts, and by ids that set no bit because they seem to be known.
 */
double plan_ids(const struct dedup_config *cfg, unsigned int cpus, double fpr);

/* Returns the most ids that arrive between two passes of a place if at most `ids` arrive in any
 * interval of a window, and steps are up to late_ns late: the layout's turn_ids().
 */
double plan_turn_ids(const struct dedup_config *cfg, double ids);

static inline double spec_fpr(const struct filter_spec *spec)
{
	return spec->fpr_e18 / 1e18;
}

/* Returns the rate (0 to 1) that the filter keeps under any load: the requested one, or, if m and k
 * are given or are another system's, the one that follows from them. Inline, as the library does
 * not link plan.c.
 */
static inline double plan_fpr(const struct dedup_config *cfg)
{
	return cfg->memory.fpr_e18 / 1e18;
}

/* Returns the bytes of all sources' accounts. */
static inline uint64_t plan_accounts_bytes(const struct dedup_config *cfg)
{
	return dedup_accounts_cnt(&cfg->sources) * sizeof(struct dedup_path_account);
}

/* Returns the bytes that the filter takes in the kernel: its blocks, including those of sources,
 * the accounts of these, and the cache of known_ids.h.
 */
static inline uint64_t plan_bytes(const struct dedup_config *cfg)
{
	return dedup_blocks(cfg) * (uint64_t)sizeof(struct dedup_block) + plan_accounts_bytes(cfg) +
	       cfg->memory.known_cnt * dedup_known_lines(cfg->policy.id_bytes) *
		       (uint64_t)sizeof(struct dedup_known);
}

/* Returns the bytes that one source takes; 0 if there is no table of sources. */
static inline uint64_t plan_source_bytes(const struct dedup_config *cfg)
{
	return cfg->sources.slot_blocks * (uint64_t)sizeof(struct dedup_block) +
	       cfg->sources.paths * (uint64_t)sizeof(struct dedup_path_account);
}

/* Returns the bytes of the maps for sockets, which all programs of a filter share, if it delivers
 * (deliver.h); else 0.
 */
static inline uint64_t plan_delivery_bytes(const struct dedup_config *cfg)
{
	return cfg->policy.deliver
		       ? DEDUP_SOCKETS_MAX *
				 (sizeof(struct dedup_socket) +
				  DEDUP_IN_FLIGHT_MAX * (uint64_t)sizeof(struct dedup_in_flight))
		       : 0;
}
