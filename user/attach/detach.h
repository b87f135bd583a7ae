/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Detaches links from their interfaces, from any network namespace, in three steps:
 * 1. detach_begin() gives the link a program that passes every packet and reads nothing, and moves
 *    its pin to the directory PIN_LEAVING. From then on the link belongs to no filter.
 * 2. detach_finish() waits until the filter's program has finished with its last packet,
 * 3. and detaches the link.
 * With the last XDP program a driver frees resources that the program may still use: veth
 * unregisters a queue while a packet of that queue is in the program (Linux 6.12: NULL pointer);
 * virtio_net removes queues to which AF_XDP sockets are bound. So between the steps callers wait
 * until readers have closed their sockets (unread.h).
 *
 * If a process is killed between the steps, the interface passes all packets, and the next command
 * that changes filters does the remaining steps.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Loads the program that passes every packet. Returns its descriptor, which the caller closes; or
 * -errno (logged).
 */
int detach_pass_all(void);

/* Does step 1 for this interface's link in a filter's directory. Does nothing if there is none.
 * Returns 0; or -errno (logged), and then the interface filters as before.
 */
int detach_begin(const char *directory, const char *ifname);

/* Does steps 2 and 3 for every link in PIN_LEAVING, except while applications have zero-copy
 * sockets on its interface, or if that is unknown: virtio_net then drops every packet, and the
 * kernel panics at the next load (Linux 7.3). Logs a note for such an interface; a later command
 * detaches it. A kernel without xsk_diag cannot report sockets. There step 3 is done in any case:
 * readers must have ended. Returns 0, also if there is no link; or -errno (logged).
 */
int detach_finish(void);

/* Does detach_finish() for a process that was killed after step 1. Logs nothing. */
void detach_recover(void);

/* Has step 1, but not step 3, been done for an interface with this index? False if unknown. */
bool detach_is_leaving(uint32_t ifindex);
