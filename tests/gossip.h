/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Gossip for tests and the demo: events sent over real UDP sockets in many copies, and
 * accounts of every one that arrives. Losing a packet on the way to the filter, or in
 * a socket after it, is either prevented or seen, never taken for the filter's doing.
 *
 * An event is a seed and an index below 2^32; its id and body follow from both, so that
 * sender and receiver need share no more than the seed.
 */
#ifndef XDP_DEDUP_TESTS_GOSSIP_H
#define XDP_DEDUP_TESTS_GOSSIP_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gsp.h"

#define GOSSIP_BATCH 64

/* One UDP payload: an EVENT of GSP/1. The body is in host order, being ours alone. */
struct gossip_packet {
	struct gsp_header header;
	uint8_t id[GSP_ID_BYTES];
	uint64_t seed;
	uint64_t sent_ns; /* CLOCK_MONOTONIC, just before it was handed to the kernel */
	uint32_t index;
	uint8_t body[196];
};
_Static_assert(sizeof(struct gossip_packet) == 256, "no hidden padding");

uint64_t gossip_now_ns(void);
void gossip_id(uint64_t seed, uint32_t index, uint8_t id[GSP_ID_BYTES]);

/* The order in which `copies` copies of each of `events` events are sent: every copy
 * is up to `spread` events late, by chance; 0 sends them in sequence, `events` and more
 * mixes all. events * copies indices for free(); NULL without memory.
 */
uint32_t *gossip_shuffle(uint32_t events, uint32_t copies, uint32_t spread, uint64_t seed);

struct gossip_sender {
	int fd;
	uint64_t seed;
	uint32_t rate_pps; /* packets a second; 0: as fast as the kernel takes them */
	uint64_t next_ns;

	pthread_t thread;
	bool running;
	atomic_bool stop; /* its thread ends early */
	const uint32_t *order;
	size_t cnt;
	int err; /* 0, or why its thread gave up */
	atomic_uint_fast64_t sent;
};

/* Sends to an IPv4 or IPv6 address from this thread's network namespace. -errno. */
int gossip_sender_open(struct gossip_sender *s, const char *address, uint16_t port, uint64_t seed);
void gossip_sender_close(struct gossip_sender *s);

/* Sends the events of these indices. What the interface has no room for is sent again,
 * so whatever was sent has entered the other end. -errno.
 */
int gossip_send(struct gossip_sender *s, const uint32_t *order, size_t cnt);

/* The same in a thread, until gossip_sender_wait(), which returns its result. The order
 * stays the caller's. A NULL order counts up from 0, cnt events or until `stop`.
 */
int gossip_sender_start(struct gossip_sender *s, const uint32_t *order, size_t cnt);
int gossip_sender_wait(struct gossip_sender *s);

struct gossip_receiver {
	int fd;
	uint64_t seed;
	uint32_t events;		/* only indices below it are of this run */
	uint16_t *copies;		/* delivered of each event */
	atomic_uint_fast64_t packets;	/* read from the socket */
	atomic_uint_fast64_t strangers; /* of them, none of this run's, or damaged */
	atomic_uint_fast64_t distinct;	/* events delivered at least once */

	/* Called for every event, if set, just after it was read. */
	void (*on_event)(void *ctx, const struct gossip_packet *p, uint64_t now_ns);
	void *ctx;

	pthread_t thread;
	bool running;
	atomic_bool stop;
	int err;
	uint64_t cpu_ns; /* of its thread, once that ended */
};

/* Listens on an address of this thread's network namespace, with so large a buffer that
 * only a receiver which sleeps for seconds loses packets. -errno.
 */
int gossip_receiver_open(struct gossip_receiver *r, const char *address, uint16_t port,
			 uint64_t seed, uint32_t events);
void gossip_receiver_close(struct gossip_receiver *r);

/* Reads everything that is there, and waits up to timeout_ms for the first packet.
 * Returns how many were read, or -errno.
 */
int gossip_receive(struct gossip_receiver *r, int timeout_ms);

/* The same in a thread. Stopping reads on until the socket has been empty for
 * quiet_ms, and returns the thread's result.
 */
int gossip_receiver_start(struct gossip_receiver *r);
int gossip_receiver_stop(struct gossip_receiver *r, int quiet_ms);

/* Packets that reached the socket but found no room in it; or -errno. */
int64_t gossip_receiver_lost(const struct gossip_receiver *r);

/* How many events were delivered exactly n times. */
uint32_t gossip_delivered(const struct gossip_receiver *r, uint16_t n);

#endif
