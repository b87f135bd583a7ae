/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A flood of gossip, each event in several copies, and its reader, for end-to-end
 * measurements. The sender is a BPF program on live frames (flood.bpf.c); the reader is an
 * application: it looks at every packet and keeps account of the events.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "flood_frame.h"
#include "flood_xsk.h"
#include "xdp-dedup-receive.h"
#include "xdp-dedup.h"

#define FLOOD_PORT 8001

struct flood; /* the skeleton of flood.bpf.c */

/* Real-time priorities, so that other processes do not take part in what is measured. */
enum { FLOOD_SENDER_PRIORITY = 1, FLOOD_READER_PRIORITY };

/* Is FAIR in the environment? Then there are none: for machines that others use, too. The sender
 * still gives way to whoever wakes up. Other processes take part, so that only CPU time counts.
 */
bool flood_is_fair(void);

/* Runs a thread (0: the calling one) on that CPU alone, at that priority. -errno. */
int flood_pin(pid_t thread, int cpu, int priority);

/* CPU time of the calling thread. */
uint64_t flood_thread_ns(void);

struct flood_sender {
	struct flood *skel;
	int cpu;
	uint32_t burst;	 /* packets sent at once, up to 256 */
	uint32_t copies; /* of each event: a divisor of FLOOD_COPIES_MAX */
	uint8_t frame[FLOOD_HEADERS + sizeof(struct flood_payload)];
	uint32_t packets;

	/* After flood_wait(). First copies are every `copies`-th, beginning with the first. */
	uint64_t sent;
	double rate_pps;
	uint64_t cpu_ns; /* of its thread, but for waiting; softirqs on its CPU are in it */

	pthread_t thread;
	int err;
};

/* Loads the programs. -errno. */
int flood_sender_open(struct flood_sender *s, int cpu, uint32_t burst, uint32_t copies);
void flood_sender_close(struct flood_sender *s);

/* Where packets go: the far end of a veth pair, and the near end's addresses (host order). */
struct flood_target {
	int far_ifindex; /* 0: nobody, the sender drops it all */
	uint8_t mac[6];
	uint32_t address; /* the sender's is the next one */
};

/* Sends so many packets in a thread, at this rate or as fast as it can. -errno. */
int flood_start(struct flood_sender *s, const struct flood_target *to, uint64_t seed,
		uint64_t rate_pps, uint32_t packets);

/* Waits for the end. 0, or why it did not send all. */
int flood_wait(struct flood_sender *s);

/* A program of flood.bpf.c: its descriptor. Packets that these have dropped so far. */
int flood_program_fd(const struct flood_sender *s, const char *name);
uint64_t flood_dropped(const struct flood_sender *s);

/* The AF_XDP socket in this place, FLOOD_XSK_*, is this one. 0 or -errno. */
int flood_enter(const struct flood_sender *s, uint32_t place, int socket_fd);

struct flood_reader {
	int cpu;
	struct xdp_dedup_filter *filter; /* asked about every packet; NULL: no filter */
	/* Read beside the UDP socket; one at most. They are the caller's. */
	struct xdp_dedup_receiver *receiver;
	struct xsk *xsk;
	uint64_t seed, events; /* indices below it are of this flood */

	/* Once it has stopped. Every packet read is one of the first four. */
	uint64_t distinct;   /* the first one of its event */
	uint64_t again;	     /* another one */
	uint64_t duplicates; /* so says the filter; not looked at */
	uint64_t strangers;  /* damaged, or not of this flood */
	uint64_t by_xsk;     /* read, not from the UDP socket */
	uint64_t lost;	     /* came when the UDP socket was full */
	uint64_t cpu_ns;     /* what the thread took */

	int fd;
	uint64_t *seen; /* a bit for each event */
	pthread_t thread;
	bool running;
	atomic_bool stop;
	int err;
};

/* Listens on this address (host order) of this network namespace, and reads in a thread.
 * The fields up to `events` are the caller's. -errno.
 */
int flood_reader_start(struct flood_reader *r, uint32_t address);

/* Reads on until nothing has come for a while. 0 or -errno. */
int flood_reader_stop(struct flood_reader *r);
