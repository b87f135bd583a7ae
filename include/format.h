/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The format of what is pinned. It lets one version of the tool take over from another.
 *
 * When a struct of a pinned map changes, DEDUP_FORMAT grows by one, and DEDUP_FORMAT_OLDEST
 * becomes the previous format. Filters of that format can be read, and can be predecessors
 * (predecessor.h); the kernel has programs of that format until an upgrade has ended. These rules
 * hold from one format to the next:
 * - dedup_config: a new field comes at its end, and 0 in it must mean the behaviour of the
 *   previous format. That is the end of struct filter_spec: an option's field; its mark is one of
 *   given.later. Or the struct changes, and user/filter/format_N.c reads the previous one: no
 *   program of the kernel reads the configuration of another format.
 * - dedup_state and dedup_counters: fields stay where they are, and new ones come at the end.
 * - The other pinned maps keep their keys, values and types: programs of both formats use them
 *   during an upgrade, and `wanted` longer.
 * - An id keeps its bits, and a place of the hand's circle keeps its meaning.
 * If a rule cannot hold, DEDUP_FORMAT_OLDEST becomes DEDUP_FORMAT: an upgrade is then unload and
 * load. Snapshots (user/filter/snapshot.h) follow these rules, too.
 */
#pragma once

#ifdef DEDUP_NEXT_FORMAT /* tests build a tool of the format after this one */
#define DEDUP_FORMAT 2
#define DEDUP_APPENDED(field) field
#else
#define DEDUP_FORMAT 1
#define DEDUP_APPENDED(field)
#endif
#define DEDUP_FORMAT_OLDEST 1

/* Sizes of the structs in the oldest format. Later formats have no fewer bytes. */
#define DEDUP_CONFIG_BYTES_OLDEST 59184
#define DEDUP_STATE_BYTES_OLDEST 35648
#define DEDUP_COUNTERS_BYTES_OLDEST 336
