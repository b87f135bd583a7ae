/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Detaches the packet program from interfaces of this network namespace, in two steps:
 * 1. detach_meant() puts a program in its place that passes every packet and reads nothing.
 * 2. detach_finish() detaches that program.
 * With its last XDP program a driver takes down what programs work on: veth unregisters a queue
 * while a packet of that queue is still in the program (Linux 6.12: a NULL pointer where it reads
 * the interface); virtio_net takes away queues to which AF_XDP sockets are bound. So between the
 * two steps the packets that our program has begun end, and callers let readers of sockets leave
 * (delivery_await_readers()).
 *
 * If a process is killed between the steps, the interface passes all packets, and the next command
 * does step 2.
 */
#ifndef XDP_DEDUP_DETACH_H
#define XDP_DEDUP_DETACH_H

#include "attach.h"

/* Step 1 for every interface of the list that is `meant`; some may be on top of others. Detaches
 * the program at once where it shares a dispatcher with other programs, because the driver then
 * keeps its XDP program; and where the driver refuses the exchange. An interface that is gone, or
 * does not run the program any more, counts as detached. If an interface cannot be detached, it
 * filters as before, and this is logged. Returns 0, or the -errno of one of these interfaces.
 */
int detach_meant(struct attachment *list, int cnt);

/* Step 2 for every interface that runs that program, but not while applications have zero-copy
 * sockets there, or if that is unknown: virtio_net then loses every packet, and the kernel
 * panics at the next load (Linux 7.3). Such an interface is noted, and left to a later command. On
 * a kernel without xsk_diag nothing ever tells, so there step 2 is done: readers must have ended.
 * Returns 0, also if there is none; or -errno (logged).
 */
int detach_finish(void);

/* Does detach_finish() for a process that was killed before it, and logs nothing. What fails is
 * left to the next command.
 */
void detach_settle(void);

#endif
