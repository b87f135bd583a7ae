/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One filter in the kernel, its program run one packet at a time with
 * BPF_PROG_TEST_RUN, and a look at every counter after each.
 */
#ifndef XDP_DEDUP_TESTS_RIG_H
#define XDP_DEDUP_TESTS_RIG_H

#include "support.h"

#include <linux/bpf.h>

#include "config.h"
#include "counters.h"
#include "loader.h"
#include "packet.h"

#define RIG_PORTS "8001,9000-9010"

extern struct rig {
	struct filter filter;
	struct xdp_dedup *skel;
	int fd;
	struct filter_counters seen; /* as of the last packet */
	uint32_t linear;	     /* bytes of a packet's first buffer; 0: as the kernel likes */
	uint32_t ifindex;	     /* where packets come in; 0: the sandbox's lo */
	const char *row;	     /* what is being tried, for messages */
} rig;

/* For 10,000 ids, a million hours and next to no false positives. Live: the hand
 * beats, but it passes nothing that it is not asked to. Still: it never beats, and the
 * test has the filter's state for itself.
 */
struct dedup_config rig_live_config(const char *ports);
struct dedup_config rig_still_config(void);

/* Frames to packet.h's FRAME_MAC are for its one interface. */
void rig_load(const struct dedup_config *cfg);

/* A MAC as the packet path compares it. */
uint64_t rig_mac(const uint8_t mac[6]);

/* For cmocka_unit_test_setup_teardown(); unloading nothing is fine. */
int rig_load_still(void **state);
int rig_unload(void **state);

/* Returns the verdict, or a negative errno; a passed frame must come out as it came in.
 * Leaves rig.seen behind: rig_count() brings it up to date.
 */
int rig_run(const struct frame *f);
void rig_count(void);

/* Sends one frame. It must get this verdict, count once as rx and once for this
 * reason, and move no other counter.
 */
#define expect(f, verdict, reason) rig_expect(__LINE__, f, verdict, reason)
void rig_expect(int line, const struct frame *f, int verdict, enum dedup_reason reason);

/* The same for plain packets with these ids. */
#define expect_event(id, verdict, reason) \
	rig_expect_ids(__LINE__, GSP_EVENT, id, 1, verdict, reason)
#define expect_ihave(ids, cnt, verdict, reason) \
	rig_expect_ids(__LINE__, GSP_IHAVE, ids, cnt, verdict, reason)
void rig_expect_ids(int line, enum gsp_type type, const struct id *ids, int count, int verdict,
		    enum dedup_reason reason);

/* Waits until the hand has brought this up to `least`. */
void rig_await(const __u64 *value, uint64_t least);

/* Makes so many fresh ids known to the filter. */
void rig_learn(struct id *ids, int cnt);

/* XDP_DROP for duplicates (IHAVEs too, unless they all pass), else XDP_PASS. */
int rig_verdict(enum dedup_reason reason);

#endif
