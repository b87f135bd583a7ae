/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Takes links off their interfaces, from any network namespace, in three steps:
 * 1. detach_begin() gives the link a program that passes every packet and reads nothing, and moves
 *    its pin to the directory PIN_LEAVING. From then on it belongs to no filter.
 * 2. detach_finish() waits until packets that the filter's program has begun have ended,
 * 3. and detaches.
 * With its last XDP program a driver takes down what programs work on: veth unregisters a queue
 * while a packet of that queue is still in the program (Linux 6.12: a NULL pointer where it reads
 * the interface); virtio_net takes away queues to which AF_XDP sockets are bound. So between the
 * steps callers let readers of sockets leave (delivery_await_readers()).
 *
 * If a process is killed between the steps, the interface passes all packets, and the next command
 * finishes.
 */
#ifndef XDP_DEDUP_DETACH_H
#define XDP_DEDUP_DETACH_H

#include <stdbool.h>
#include <stdint.h>

/* Loads the program that passes every packet. Returns its descriptor, which the caller closes; or
 * -errno (logged).
 */
int detach_pass_all(void);

/* Step 1 for the link of this interface in a filter's directory. Does nothing if there is none.
 * Returns 0; or -errno (logged), and then the interface filters as before.
 */
int detach_begin(const char *directory, const char *ifname, int pass_all_fd);

/* Steps 2 and 3 for every link in PIN_LEAVING, but not while applications have zero-copy sockets on
 * its interface, or if that is unknown: virtio_net then loses every packet, and the kernel panics
 * at the next load (Linux 7.3). Such an interface is noted, and left to a later command. On a
 * kernel without xsk_diag nothing ever tells, so there step 3 is done: readers must have ended.
 * Returns 0, also if there is none; or -errno (logged).
 */
int detach_finish(void);

/* Does detach_finish() for a process that was killed before it, and logs nothing. */
void detach_settle(void);

/* Does PIN_LEAVING have a link of an interface with this index? False if that is unknown. */
bool detach_is_leaving(uint32_t ifindex);

#endif
