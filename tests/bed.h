/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The bed that end-to-end tests lie in: two veth pairs. Their near ends, ve0 and ve1,
 * are in the sandbox, where the filter runs and events are received; from the far ends
 * they are sent. Threads and sockets that a failing test leaves are ended with it.
 */
#ifndef XDP_DEDUP_TESTS_BED_H
#define XDP_DEDUP_TESTS_BED_H

#include "support.h"

#include "filter.h"
#include "gossip.h"

#define BED_LINKS 2

/* For cmocka_unit_test_setup_teardown(). */
int bed_setup(void **state);
int bed_teardown(void **state);

/* The port of this process' gossip; streams and probes have the next ones. */
uint16_t bed_port(void);

/* A command at the far ends, which must succeed. */
void bed_far_sh(const char *command);

/* Makes (again) the pair whose near end is ve0 or ve1. */
void bed_add_link(int link);

/* Runs the tool, which must succeed, or tells how it did not; "load ve0" alone lacks
 * the ports, which bed_load() adds.
 */
__attribute__((format(printf, 1, 2))) void bed_tool(const char *format, ...);
__attribute__((format(printf, 1, 2))) void bed_load(const char *format, ...);

/* A sender of the link's far end, a receiver at its near end (-1: of both links). */
struct gossip_sender *bed_sender(int link, int family, uint64_t seed);
struct gossip_receiver *bed_receiver(int link, int family, uint64_t seed, uint32_t events);
void bed_close(struct gossip_sender *s, struct gossip_receiver *r); /* either may be NULL */

/* The filter's counters; and once it has seen that many gossip packets, which it must
 * within seconds: only then nothing is under way any more.
 */
struct filter_counters bed_counters(const char *name);
struct filter_counters bed_counters_after(const char *name, uint64_t packets);

/* Sends fresh events over a link, all the time, until stopped: every one must have
 * been delivered, exactly once. Returns how many that were.
 */
void bed_stream_start(int link, uint32_t rate_pps);
uint64_t bed_stream_stop(int link);

/* Fresh events in several copies: each must be delivered exactly once, or with every
 * copy if nothing filters them.
 */
void bed_assert_works(int link);
void bed_assert_unfiltered(int link);

/* Nothing of a filter on our port is left in the kernel: no pin, no program on an
 * interface, no object that bed_remember() saw (it says how many maps and programs it
 * saw). What RCU frees has half a minute.
 */
int bed_remember(void);
void bed_assert_nothing_left(void);

/* `mean` independent rare events on the average are at most so many, but once in 10^8. */
double poisson_bound(double mean);

#endif
