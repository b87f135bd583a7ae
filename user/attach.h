/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The packet program on interfaces, through libxdp. What is attached where is asked
 * of the kernel, never remembered. Interfaces are those of this network namespace.
 */
#ifndef XDP_DEDUP_ATTACH_H
#define XDP_DEDUP_ATTACH_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "options.h"

struct xdp_dedup;

struct attachment {
	char ifname[IF_NAMESIZE];
	int ifindex;
	enum attach_mode mode; /* never MODE_ANY */
	bool dispatcher;       /* beside other programs, through libxdp's dispatcher */
	uint32_t prog_id;
	uint32_t state_id; /* which filter: struct filter.state_id */
};

/* Every interface that runs our packet program, of any filter. The result is for
 * free(); *cnt may be 0.
 */
int attach_list(struct attachment **out, int *cnt);

/* Could our program be attached to all of these? -ENODEV: no such interface, -EINVAL:
 * named twice, -EEXIST: it runs there already, -EBUSY: another one does that lets
 * nobody beside it. Says so on stderr.
 */
int attach_check(char *const *ifnames, int cnt);

/* Attaches the program to all of these (which pass attach_check). MODE_ANY tries native,
 * then skb, and says so. After a failure it may be on the first ones: where_detach().
 */
int attach_all(struct xdp_dedup *prog, char *const *ifnames, int cnt, enum attach_mode mode);

/* The program's descriptor. Loads it if it is not attached anywhere, for tests. */
int attach_prog_fd(struct xdp_dedup *prog);

/* Detaches; an interface that is gone is not a failure. */
int detach(const struct attachment *a);

const char *attach_mode_name(enum attach_mode mode);

#endif
