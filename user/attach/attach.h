/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attaches a program to an interface: modes, checks beforehand, and messages. */
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

struct links;

enum attach_mode {
	MODE_ANY, /* native, or else skb */
	MODE_NATIVE,
	MODE_SKB,
	MODE_HW,
};

/* The interfaces on which a filter is to run. */
struct placement {
	char *const *ifnames;
	int cnt; /* at least 1 */
	enum attach_mode mode;
	bool share; /* --share: through libxdp's dispatcher */
};

/* Returns the index of the interface with this name in this network namespace; 0 if there is none;
 * or -errno (logged).
 */
int attach_ifindex(const char *ifname);

/* Checks that interface i exists and is named only once. Returns 0; -ENODEV or -EINVAL if not;
 * another -errno if that is unknown. Each error is logged.
 */
int attach_check_named(const struct placement *where, int i);

/* Checks that a program can be attached to the interface: no other program runs there, or, with
 * share, only libxdp's dispatcher. *links: the interfaces as they are now. Returns 0; -EEXIST if a
 * filter runs there already; -EBUSY if another program does; another -errno if that is unknown.
 * Each error is logged.
 */
int attach_check_room(const char *ifname, const struct links *links, bool share);

/* Checks that the program can be attached in this mode. has_native, has_hw: the driver's modes.
 * Returns 0, with a note if MODE_ANY means skb mode here; or -EOPNOTSUPP (logged).
 */
int attach_check_mode(const char *ifname, enum attach_mode mode, bool has_native, bool has_hw);

/* Checks that packets of the interface can be redirected to AF_XDP sockets in this mode. features:
 * driver_xdp_features() of the driver; they count for the modes that use the driver. Returns 0,
 * with a note if redirecting is slow; or -EOPNOTSUPP (logged).
 */
int attach_check_redirect(const char *ifname, enum attach_mode mode, uint64_t features);

/* Attaches to an interface in native or skb mode. Returns 0 or more, or -errno. */
typedef int (*attach_fn)(const void *arg, const char *ifname, enum attach_mode mode);

/* Attaches by this function. MODE_ANY tries native, then skb; *mode becomes the mode that was
 * taken. Returns what attach() returned; or -errno (logged).
 */
int attach_by(attach_fn attach, const void *arg, const char *ifname, enum attach_mode *mode);

/* Attaches the program by a link. Returns the link's descriptor, which the caller closes; or -errno
 * (logged). mode: see attach_by().
 */
int attach_link(int prog_fd, const char *ifname, enum attach_mode *mode);

/* Returns the reason why attaching failed with err (-errno): the driver's message, if the kernel
 * sent one since kernel_forget_message().
 */
const char *attach_refusal(int err);

/* Returns "native", "skb" or "hw"; "none" for MODE_ANY. */
const char *attach_mode_name(enum attach_mode mode);

/* Returns libxdp's number of the mode, an enum xdp_attach_mode. */
int attach_mode_xdp(enum attach_mode mode);
