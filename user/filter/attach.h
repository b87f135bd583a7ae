/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The packet program on interfaces, through libxdp. What is attached where is asked
 * of the kernel, never remembered. Interfaces are those of this network namespace.
 */
#ifndef XDP_DEDUP_ATTACH_H
#define XDP_DEDUP_ATTACH_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

struct xdp_dedup;

enum attach_mode {
	MODE_ANY, /* native, or else skb */
	MODE_NATIVE,
	MODE_SKB,
	MODE_HW,
};

/* Where a filter is to run. */
struct placement {
	char *const *ifnames;
	int cnt; /* at least 1 */
	enum attach_mode mode;
};

struct attachment {
	char ifname[IF_NAMESIZE];
	int ifindex;
	enum attach_mode mode; /* never MODE_ANY */
	bool dispatcher;       /* beside other programs, through libxdp's dispatcher */
	uint32_t prog_id;
	uint32_t state_id; /* which filter: struct filter.state_id */
	int err;	   /* -errno: runs some program, ours or not, that cannot be looked at */
	bool meant;	   /* the caller's: detach_meant() is about this one */
	bool detached;	   /* by detach_meant(), */
	int detach_err;	   /* or why it could not be */
};

/* Every interface that runs our packet program, of any filter, and those of which that
 * cannot be told. The result is for free(); *cnt may be 0.
 */
int attach_list(struct attachment **out, int *cnt);

/* Says which of these cannot be looked at, if one cannot, and returns its err. */
int attach_say_unknown(const struct attachment *list, int cnt);

/* Could our program be attached to all of these? -ENODEV: no such interface, -EINVAL:
 * named twice, -EEXIST: it runs there already, -EBUSY: another one does that lets
 * nobody beside it, another -errno: that cannot be told. Says so on stderr.
 */
int attach_check(const struct placement *where);

/* Attaches the program to all of these (which pass attach_check). MODE_ANY tries native,
 * then skb, and says so. After a failure it may be on the first ones: attachments_detach().
 */
int attach_all(struct xdp_dedup *prog, const struct placement *where);

/* The program's descriptor. Loads it if it is not attached anywhere, for tests. */
int attach_prog_fd(struct xdp_dedup *prog);

/* Detaches where it is meant, also from devices on top of each other. An interface that is
 * gone is not a failure. One that fails goes on as it was, and is said.
 */
int detach_meant(struct attachment *list, int cnt);

const char *attach_mode_name(enum attach_mode mode);

#endif
