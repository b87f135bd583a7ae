/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The format of what is pinned, so that a version of the tool can take over from another one.
 *
 * When a struct of a pinned map changes, DEDUP_FORMAT is one more, and DEDUP_FORMAT_OLDEST the one
 * before it: filters of that format can be read, and can be predecessors (predecessor.h), while
 * those of this one are new in the kernel. So this holds from one format to the next:
 * - fields of dedup_config, dedup_state and dedup_counters stay where they are, and new ones are
 *   added at the end, where 0 says what was so before: whoever reads a filter of the format before
 *   finds 0 there (user/filter/pins.c). What structs within these have more is added there, too;
 * - the other pinned maps keep their keys, values and types: both programs use them during the
 *   exchange, and `wanted` longer;
 * - an id has the same bits, and a place of the hand's circle means the same.
 * Where that cannot be so, DEDUP_FORMAT_OLDEST becomes DEDUP_FORMAT: an upgrade is then unload and
 * load. Images (user/filter/image.h) follow the same rule.
 */
#ifndef XDP_DEDUP_FORMAT_H
#define XDP_DEDUP_FORMAT_H

#ifdef DEDUP_NEXT_FORMAT /* tests build a tool of the format after this one */
#define DEDUP_FORMAT 13
#define DEDUP_APPENDED(field) field
#else
#define DEDUP_FORMAT 12
#define DEDUP_APPENDED(field)
#endif
#define DEDUP_FORMAT_OLDEST 11

/* Bytes of the structs in DEDUP_FORMAT_OLDEST: those of later formats have no fewer. */
#define DEDUP_CONFIG_BYTES_OLDEST 28032
#define DEDUP_STATE_BYTES_OLDEST 35632
#define DEDUP_COUNTERS_BYTES_OLDEST 336

#endif
