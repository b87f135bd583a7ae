/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* --share: interfaces that other XDP programs use through libxdp's dispatcher. libxdp attaches and
 * detaches the packet program there. A change detaches the old program before it attaches the new
 * one: packets in between pass unjudged.
 *
 * Works for interfaces of this network namespace. Needs CAP_SYS_ADMIN.
 */
#pragma once

#include "attach.h"

struct shared_program {
	uint32_t prog_id;
	enum attach_mode mode;
};

/* Makes libxdp's directory of pins, and checks that only root can use it: another user who can
 * write there could make root remove any file. Returns 0, or -errno (logged).
 */
int share_ready(void);

/* Finds the program with this configuration map on an interface. Returns 1; 0 if it is not there;
 * or -errno if that is unknown (not logged).
 */
int share_find(int ifindex, uint32_t config_id, struct shared_program *ret);

/* Attaches the program of NAME or +NAME, which libxdp loads again for each dispatcher. mode: see
 * attach_by(). Returns 0, or -errno (logged).
 */
int share_attach(const char *directory, const char *ifname, enum attach_mode *mode);

/* Detaches the program with this configuration map. Returns 0, also if it is not there; or -errno
 * (logged).
 */
int share_detach(const char *ifname, int ifindex, uint32_t config_id);
