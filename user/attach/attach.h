/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attaches the packet program to interfaces and detaches it, through libxdp; and finds it there
 * (attach_look.c), by what the kernel lists. What runs where is asked of the kernel each time,
 * never remembered. Only interfaces of this network namespace can be seen.
 */
#ifndef XDP_DEDUP_ATTACH_H
#define XDP_DEDUP_ATTACH_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/select.h>

#include "identity.h"
#include "links.h"

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

/* An interface that runs our packet program; or, with err, one of which that cannot be told. */
struct attachment {
	char ifname[IF_NAMESIZE];
	int ifindex;
	enum attach_mode mode; /* never MODE_ANY */
	bool dispatcher;       /* runs in libxdp's dispatcher, where other programs may be too */
	struct identity id;    /* of the program, and of the filter that it belongs to */
	int err;	/* -errno: runs an XDP program, ours or not, that cannot be looked at */
	bool meant;	/* set by the caller: attach_detach_meant() is to detach this one */
	bool detached;	/* set by attach_detach_meant(): it has done so */
	int detach_err; /* if not: -errno */
};

/* The interfaces of this network namespace as they are at one moment: all of them; and those that
 * run our packet program, of whichever filter, or of which that cannot be told (err).
 */
struct attach_view {
	struct links links;
	struct attachment *list;
	int cnt;
};

/* Looks, at a cost that grows with the interfaces and with the programs: who looks at several
 * filters does so once for all. 0, and the caller frees *v with attach_view_free(); or -errno
 * (logged), and *v is empty.
 */
int attach_view_read(struct attach_view *v);
void attach_view_free(struct attach_view *v);

/* The list of such a view alone: 0, and the caller frees *out with free(); -errno (logged). */
int attach_list(struct attachment **out, int *cnt);

/* Looks for our program on one interface. 1 with *a filled in; 0 if it is not there; -EBUSY, with
 * a->id.prog_id, if another program runs there without a dispatcher, which leaves no room for ours;
 * another -errno if it cannot be told. Logs nothing.
 */
int attach_find(int ifindex, struct attachment *a);

/* The index of this interface of this network namespace; 0 if there is none, -errno (logged) if
 * that cannot be told.
 */
int attach_ifindex(const char *ifname);

/* Logs the first err in the list, with advice. Returns it, or 0 if there is none. */
int attach_log_unknown(const struct attachment *list, int cnt);

/* Is there the i-th of these interfaces, and is it named once? 0 yes. Else, after logging it,
 * -ENODEV or -EINVAL, or another -errno (it cannot be told).
 */
int attach_check_named(const struct placement *where, int i);

/* Could our program be attached to it beside what runs there? 0 yes. Else, after logging it,
 * -EEXIST (our program runs there already), -EBUSY (another program runs there without a
 * dispatcher), or another -errno (it cannot be told).
 */
int attach_check_room(const char *ifname);

/* How it would be attached in the mode that is asked for, where the driver has native XDP, and hw
 * mode, or not: 0, after a note if it is skb mode because there is no better one. -EOPNOTSUPP
 * (logged) if not at all.
 */
int attach_check_mode(const char *ifname, enum attach_mode mode, bool has_native, bool has_hw);

/* Could it have packets go to AF_XDP sockets in that mode? 0, after a note if that is slow; or
 * -EOPNOTSUPP (logged). `features` are those of device_xdp_features(), of the modes that go
 * by the driver.
 */
int attach_check_redirect(const char *ifname, enum attach_mode mode, uint64_t features);

/* Writes the names of the programs in the dispatcher that runs on an interface, separated by ", ";
 * "" if none does. 0, or -errno if it cannot be told.
 */
int attach_neighbours(int ifindex, char *names, size_t size);

/* Attaches the program to all of these interfaces, for which the checks above have returned 0. With
 * MODE_ANY tries native, then skb, and logs which. 0 or -errno (logged); after a failure the
 * first interfaces may run the program: attachments_detach() takes it off.
 */
int attach_all(struct xdp_dedup *prog, const struct placement *where);

/* Attaches the program to cnt interfaces, each in its own mode, as attach_all() does: in a
 * dispatcher beside all that runs there.
 */
int attach_each(struct xdp_dedup *prog, char *const *ifnames, const enum attach_mode *modes, int cnt);

/* Puts the program new_fd in the place of the one at `old`, which runs there without a dispatcher,
 * at once. 0 or -errno (logged).
 */
int attach_replace(const struct attachment *old, int new_fd);

/* To be called before and after whatever looks at programs by libxdp, or attaches them: libxdp 1.3
 * leaves their descriptors open, and a program that this process itself holds open would seem to be
 * in use (live.h). The second one closes all descriptors that are open but were not then.
 */
void attach_note_fds(fd_set *open);
void attach_close_other_fds(const fd_set *open);

/* The program's descriptor, which belongs to the skeleton. Loads the program if no attach_all() has
 * done so (tests do without). -errno (logged) if it cannot be loaded.
 */
int attach_prog_fd(struct xdp_dedup *prog);

/* Detaches the program from every interface of the list that is `meant`; they may be on top of each
 * other. One that is gone, or does not run it any more, counts as detached. One that cannot be
 * detached goes on filtering and is logged. 0, or the -errno of one of those.
 */
int attach_detach_meant(struct attachment *list, int cnt);

/* "native", "skb" or "hw"; "none" for MODE_ANY. */
const char *attach_mode_name(enum attach_mode mode);

#endif
