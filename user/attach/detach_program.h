/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The program that takes the packet program's place before it is detached (detach.h): it passes
 * every packet and reads nothing.
 */
#ifndef XDP_DEDUP_DETACH_PROGRAM_H
#define XDP_DEDUP_DETACH_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#define DETACH_PROGRAM "dedup_detach" /* its name */

/* Why it, or the packet program, may stay, or not be exchanged: the kernel changes the programs of
 * a device only while no device on top of it runs one.
 */
#define DETACH_UPPER_FIRST \
	"if a device on top of it, as a bridge, runs XDP: first ip link set dev DEVICE xdp off"

/* Loads it. Returns its descriptor, which the caller closes; or -errno. */
int detach_program_load(void);

/* Opens the program with this id, if it is DETACH_PROGRAM. Returns its descriptor, which the caller
 * closes; 0 if it is another one, or has gone; or -errno.
 */
int detach_program_open(uint32_t prog_id);

/* Is the program with this id DETACH_PROGRAM? Returns false, too, if that is unknown. */
bool detach_program_is(uint32_t prog_id);

#endif
