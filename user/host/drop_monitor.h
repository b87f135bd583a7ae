/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The kernel's drop monitor (linux/net_dropmon.h): a copy of each packet that the kernel discards.
 * A machine has one. It belongs to the initial network namespace, and sees the packets of all
 * namespaces. The last of its listeners that closes it stops it. Nothing is logged here.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct drop_monitor;

/* A packet that was discarded. */
struct drop {
	uint64_t time_ns; /* since the Unix epoch */
	uint32_t ifindex; /* where it came in, in that interface's network namespace; 0: unknown */
	char reason[64];  /* of the kernel, as "SOCKET_RCVBUFF"; "": the kernel names none */
	char where[96];	  /* the function that discarded it, as "udp_queue_rcv_one_skb+0x18d" */
	const uint8_t *frame; /* from the MAC header on */
	uint32_t have, len;   /* bytes in `frame`; bytes of the packet */
};

/* Begins to listen, and starts the monitor if it is off, or if nobody listens to it. force: stops
 * one that is on, before that; its listeners then get whole packets, too. Returns 0; -ENOENT if
 * there is none: the kernel lacks it, or this is not the initial network namespace; -EPERM without
 * the rights (CAP_NET_ADMIN and, to listen, CAP_SYS_ADMIN); -EBUSY if somebody else has it on, and
 * it does not report whole packets; another -errno. *ret_listener: the inode of the socket of
 * another listener (stack.h); 0 if there is none.
 */
int drop_monitor_open(bool force, struct drop_monitor **out, uint32_t *ret_listener);

/* Starts the monitor again if somebody has stopped it. Returns what drop_monitor_open() does. */
int drop_monitor_turn_on(const struct drop_monitor *m);

/* Stops the monitor, unless somebody else listens. What it has reported can still be read. */
void drop_monitor_turn_off(const struct drop_monitor *m);

/* Returns the socket: readable when packets have come. */
int drop_monitor_fd(const struct drop_monitor *m);

/* Waits until packets come, timeout_ms are over or a signal arrives, and calls each() for up to 256
 * that have come. *drop is valid until each() returns. If each() does not return 0, this call ends.
 * Returns 0, or what each() returned; or -errno.
 */
int drop_monitor_poll(struct drop_monitor *m, int timeout_ms,
		      int (*each)(void *arg, const struct drop *drop), void *arg);

/* Returns how many packets were not reported for lack of room, modulo 2^32. */
uint32_t drop_monitor_missed(struct drop_monitor *m);

/* Reads one message of the monitor. Returns whether it reports a packet. */
bool drop_monitor_parse(const void *message, uint32_t len, struct drop *out);

/* Stops the monitor, unless somebody else listens, and frees *m. */
void drop_monitor_close(struct drop_monitor *m);

/* Stops the monitor if a killed process of this tool has left it on, and nobody listens. Only where
 * it is a module of the kernel, which is not loaded for this.
 */
void drop_monitor_end_left(void);
