/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counters: one list makes the map's fields, their JSON keys and their help. */
#pragma once

#include <linux/types.h>

#include "format.h"

/* Why a packet got its verdict: each packet counts once, under one of these. Append only. */
#define DEDUP_REASONS(X)                                                    \
	X(ignored, "passed: another protocol, port or host")                \
	X(fragment, "passed: an IP fragment")                               \
	X(truncated, "passed: a header or id ends past the packet")         \
	X(bad_ip, "passed: IP header contradicts itself")                   \
	X(bad_udp, "passed: UDP length contradicts the IP header")          \
	X(bad_magic, "passed: not GSP/1")                                   \
	X(bad_type, "passed: unknown GSP/1 type")                           \
	X(bad_count, "passed: id count out of range")                       \
	X(bad_length, "passed: payload too short for its ids")              \
	X(exempt, "passed: a type that is never filtered")                  \
	X(no_id, "passed: the all-zero id")                                 \
	X(stale, "passed: the window's clock has stopped")                  \
	X(new, "passed: an id that is not in the window")                   \
	X(unlearned, "passed: a fresh id, but no room to learn it")         \
	X(duplicate, "a duplicate: its id is in the window")                \
	X(ihave_new, "passed: IHAVE with an unknown or wanted id")          \
	X(ihave_duplicate, "a duplicate: an IHAVE whose ids are all known") \
	X(wanted, "passed: an id in the window, but wanted")                \
	X(too_long, "passed: more bytes than a digest can take")            \
	X(late_number, "passed: a number older than its source's history")  \
	X(far_number, "passed: a number far from its source's others")      \
	X(bad_tunnel, "passed: a tunnel's header contradicts itself")       \
	X(untaken, "passed: a fresh id that no AF_XDP socket took")

/* Sums of the reasons, which user space computes when it reads the counters: no packet pays for
 * them.
 */
#define DEDUP_SUMS(X)             \
	X(rx, "packets entering") \
	X(dropped, "packets dropped; 0 with --action count; no longer grows when --for has ended")

/* Counted in addition to a packet's reason. */
#define DEDUP_TOTALS(X)                                                                          \
	X(duplicate_bytes, "bytes of duplicates, without IHAVEs that pass, and without padding") \
	X(early, "blocks aged too early, because of load")                                       \
	X(late, "blocks aged late")

/* Results of delivering the fresh and wanted packets of a stream: each packet counts once. Append
 * only.
 */
#define DEDUP_DELIVERIES(X)                                             \
	X(delivered, "fresh packets that went to an AF_XDP socket")     \
	X(no_socket, "to the stack: their queue had no AF_XDP socket")  \
	X(no_room, "to the stack: the socket's application was behind") \
	X(too_large, "to the stack: larger than the socket's frames")

#define DEDUP_COUNTERS(X) DEDUP_REASONS(X) DEDUP_SUMS(X) DEDUP_TOTALS(X) DEDUP_DELIVERIES(X)

enum dedup_reason {
#define X(name, help) DEDUP_REASON_##name,
	DEDUP_REASONS(X)
#undef X
		DEDUP_REASONS_CNT,
};
#define DEDUP_REASONS_MAX 32

enum dedup_delivery {
#define X(name, help) DEDUP_DELIVERY_##name,
	DEDUP_DELIVERIES(X)
#undef X
		DEDUP_DELIVERIES_CNT,
};

/* Value of the per-CPU map `stats`, which only the packet program and the hand write. Fields of 64
 * bits only, those of the reasons first and in the order of enum dedup_reason: a reason is also the
 * index of its counter.
 */
struct dedup_counters {
#define X(name, help) __u64 name;
	DEDUP_REASONS(X)
	__u64 room[DEDUP_REASONS_MAX - DEDUP_REASONS_CNT]; /* for further reasons: format.h */
	DEDUP_TOTALS(X)
#undef X
	/* DEDUP_DROP_FOR: packets dropped, and their bytes; user space takes them for `dropped`.
	 * With other actions `dropped` follows from the reasons, and these are 0.
	 */
	__u64 timed_drops;
	__u64 timed_bytes;
	/* No counter: how many ids this CPU may still learn before it claims more (credit.bpf.h). */
	__s64 credit;
#define X(name, help) __u64 name; /* in the order of enum dedup_delivery, which is their index */
	DEDUP_DELIVERIES(X)
#undef X
	DEDUP_APPENDED(__u64 appended;)
};
_Static_assert(__builtin_offsetof(struct dedup_counters, room) == 8 * DEDUP_REASONS_CNT,
	       "reasons index the counters");
_Static_assert(__builtin_offsetof(struct dedup_counters, too_large) + 8 == DEDUP_COUNTERS_BYTES_OLDEST,
	       "fields that moved: see format.h");
