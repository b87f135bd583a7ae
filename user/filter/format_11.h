/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The configuration of filters of format 11, the previous format (include/format.h): `load
 * --replace` upgrades from it, and older snapshots have it.
 */
#ifndef XDP_DEDUP_FORMAT_11_H
#define XDP_DEDUP_FORMAT_11_H

#include "config.h"

/* The struct of format 11. Fields mean what they mean in struct dedup_config, which groups them in
 * parts. streams_cnt 0: GSP/1 alone.
 */
struct dedup_config_11 {
	__u32 format;
	__u32 layout;
	__u32 hash;
	__u32 blocks;
	__u32 places;
	__u32 words;
	__u32 bits;
	__u32 m;
	__u32 k;
	__u32 recent;
	__u32 action;
	__u32 learn_app;
	__u32 frags;
	__u32 claim;
	__u32 id_bytes;
	__u32 replay;
	__u64 window_ns;
	__u64 countdown_ns;
	__u64 tick_ns;
	__u64 busy_tick_ns;
	__u64 late_ns;
	__u64 stale_ns;
	__u64 stale_jiffies;
	__u64 capacity;
	__u64 fpr_e18;
	__u64 turn_ids;
	__u64 full_ids;
	__u64 drop_ns;
	__u32 segment_places;
	__u32 ihave_pass;
	__u32 ports_cnt;
	struct dedup_ports ports[DEDUP_PORTS_MAX];
	__u32 key[DEDUP_KEYS];
	__u32 receiver;
	__u32 several;
	__u32 forwarded;
	__u32 to_cnt;
	__u32 to4_cnt;
	struct dedup_prefix to[DEDUP_TO_MAX];
	__u32 streams_cnt;
	__u8 direct[DEDUP_PORTS_MAX];
	__u32 any_direct;
	__u32 pad1;
	__u32 frames;
	struct dedup_stream streams[DEDUP_STREAMS_MAX];
	__u64 digest_key[DEDUP_DIGEST_KEYS];
	__u32 serial;
	__u32 earlier_stats;
	__u32 pad3;
	__u32 has_predecessor;
	__u64 predecessor_scale;
	__u32 deliver;
	__u32 pad4;
	__u8 before[DEDUP_STREAMS_MAX];
	__u32 vlans_cnt;
	struct dedup_ports vlans[DEDUP_VLANS_MAX];
	__u32 pad5;
};
_Static_assert(sizeof(struct dedup_config_11) == 28184, "format 11 does not change any more");

/* Writes to *out what *old contains; `format` stays that of *old. Format 11 does not have what was
 * asked for (plan_asked()). *old may have any bytes.
 */
void config_from_11(const struct dedup_config_11 *old, struct dedup_config *out);

#endif
