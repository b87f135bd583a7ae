/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes a dedup_config, which the kernel gets, of a filter_spec, which says what is asked for:
 * sizes, the hand's pace, and limits on learning.
 */
#ifndef XDP_DEDUP_PLAN_H
#define XDP_DEDUP_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "account.h"
#include "config.h"
#include "deliver.h"
#include "memory.h"
#include "known_ids.h"

/* Fills in everything but secrets and `frags`, for a machine of `cpus` possible CPUs whose kernel
 * has `hz` jiffies a second. Pure. The layout's refusal() and streams_refusal() must have accepted
 * the spec. Returns 0; or
 * - -EOVERFLOW or -EDOM of the layout's size();
 * - -ERANGE if the hand cannot go round, or clear an array, in so short a window;
 * - -EOPNOTSUPP if FIPS v1's own m does not keep the rate even for one id;
 * - -EFBIG if the memory of all sources would be too large;
 * - -ENOTUNIQ if the hash alone takes too many fresh ids for known ones (include/hash.h).
 */
int plan_config(const struct filter_spec *spec, unsigned int cpus, unsigned int hz,
		struct dedup_config *out);

/* Is the rate that holds above the one that was asked for, by more than its rounding to fpr_e18? */
bool plan_exceeds_rate(const struct dedup_config *c);

/* Is the rate that holds so much above the one that was asked for that plan_here() refuses it? */
bool plan_loses_most(const struct dedup_config *c);

/* Returns the lowest rate that the hash allows for this capacity, rounded up. */
double plan_hash_fpr(const struct filter_spec *spec);

/* Sets what is counted in the kernel's jiffies, of which it has hz a second. */
void plan_set_jiffies(struct dedup_config *c, unsigned int hz);

/* Do the layout and the streams accept the spec? Returns 0; -EINVAL (logged) if they refuse it,
 * whatever the machine or a running filter is: the user has misused options.
 */
int plan_check(const struct filter_spec *spec);

/* Does plan_check(), then plan_config() for this machine. Logs what is wrong; and, if m and k are
 * given, which capacity or rate the filter cannot keep.
 */
int plan_here(const struct filter_spec *spec, struct dedup_config *out);

/* Does plan_config() for this machine, and logs nothing. -EINVAL if the layout or the streams
 * refuse the spec.
 */
int plan_silently(const struct filter_spec *spec, struct dedup_config *out);

/* What the filter promises, as a clause for people: "1000000 ids a window of 10m, at most 0.0001 of
 * fresh events lost". Writes it to buf, of PLAN_PROMISE_MAX bytes, and returns that.
 */
#define PLAN_PROMISE_MAX 160
const char *plan_promise(const struct dedup_config *c, char *buf);

/* Makes *c, of a filter on another machine, one for this machine's kernel. */
void plan_move_here(struct dedup_config *c);

/* Makes *c, a plan of anything, the configuration of the next program of a filter with the
 * configuration *old. Memory, ageing and secrets are those of *old; streams that are kept (kept.h)
 * keep their realms and slots. 0; -ENOTUNIQ if the scheme has no key, and so would take ids of a
 * new realm for those that the memory knows; -ENOSPC if the memory lacks what the streams need: a
 * table of sources, or room for more than one id; another -errno if there are no random numbers.
 */
int plan_next_program(const struct dedup_config *old, struct dedup_config *c);

/* Does plan *c have the memory of a filter with the configuration *old? */
bool plan_is_same_memory(const struct dedup_config *old, const struct dedup_config *c);

/* Makes *c, a plan, the configuration of the successor (include/predecessor.h) of a filter with the
 * configuration *old. Secrets are those of *old; streams that are kept keep their realms and slots.
 * Returns 0; -errno if there are no random numbers.
 */
int plan_next_filter(const struct dedup_config *old, struct dedup_config *c);

/* The most ids whose bits may be in one generation, under any load: the filter is sized so that it
 * keeps the rate fpr with so many. They are more than the capacity, by those that come before the
 * hand reacts, and by those that set no bit because they seem to be known.
 */
double plan_ids(const struct dedup_config *cfg, unsigned int cpus, double fpr);

/* The most ids that come between two passes of a place if at most `ids` come in any interval of a
 * window, and steps are up to cfg->late_ns late: the layout's turn_ids().
 */
double plan_turn_ids(const struct dedup_config *cfg, double ids);

/* The rate (0 to 1) that the filter keeps under any load: the one that was asked for, or, where m
 * and k are given or are another system's, the one that follows from them. Inline, as the library
 * has nothing of plan.c.
 */
static inline double plan_fpr(const struct dedup_config *cfg)
{
	return cfg->memory.fpr_e18 / 1e18;
}

/* Bytes of the accounts of all sources that have names. */
static inline uint64_t plan_accounts_bytes(const struct dedup_config *cfg)
{
	return dedup_accounts_cnt(&cfg->sources) * sizeof(struct dedup_path_account);
}

/* Bytes of memory that the filter takes in the kernel: its blocks, those of sources among them,
 * their accounts, and the cache of known_ids.h.
 */
static inline uint64_t plan_bytes(const struct dedup_config *cfg)
{
	return dedup_blocks(cfg) * (uint64_t)sizeof(struct dedup_block) + plan_accounts_bytes(cfg) +
	       cfg->memory.known_cnt * dedup_known_lines(cfg->policy.id_bytes) *
		       (uint64_t)sizeof(struct dedup_known);
}

/* Bytes that the numbers of one source take; 0 if there is no table of sources. */
static inline uint64_t plan_source_bytes(const struct dedup_config *cfg)
{
	return cfg->sources.slot_blocks * (uint64_t)sizeof(struct dedup_block) +
	       cfg->sources.paths * (uint64_t)sizeof(struct dedup_path_account);
}

/* Bytes of the maps for sockets, if the filter delivers (deliver.h), which all programs of a filter
 * share; else 0.
 */
static inline uint64_t plan_delivery_bytes(const struct dedup_config *cfg)
{
	return cfg->policy.deliver
		       ? DEDUP_SOCKETS_MAX *
				 (sizeof(struct dedup_socket) +
				  DEDUP_IN_FLIGHT_MAX * (uint64_t)sizeof(struct dedup_in_flight))
		       : 0;
}

#endif
