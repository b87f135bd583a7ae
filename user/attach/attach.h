/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attaches the packet program to interfaces, detaches it, and finds it there, through libxdp. Reads
 * from the kernel each time where a program runs, and keeps no state. Sees only the interfaces of
 * this network namespace.
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

/* The interfaces on which a filter is to run. */
struct placement {
	char *const *ifnames;
	int cnt; /* at least 1 */
	enum attach_mode mode;
};

/* An interface that runs our packet program; or, with err, an interface whose program cannot be
 * identified.
 */
struct attachment {
	char ifname[IF_NAMESIZE];
	int ifindex;
	enum attach_mode mode; /* never MODE_ANY */
	bool dispatcher;       /* runs in libxdp's dispatcher, where other programs may be too */
	bool shared;	       /* other programs are there */
	struct identity id;    /* of the program, and of the filter that it belongs to */
	int err;	       /* -errno: it runs an XDP program that cannot be identified */
	bool meant;	       /* set by the caller: detach_meant() is to detach this one */
	bool detached;	       /* set by detach_meant(): it is detached */
	int detach_err;	       /* -errno, if it could not be detached */
};

/* The interfaces of this network namespace at one moment. `links` has all of them. `list` has
 * those that run our packet program, of any filter, and those whose program cannot be identified
 * (err).
 */
struct attach_view {
	struct links links;
	struct attachment *list;
	int cnt;
};

/* Reads the interfaces. The cost grows with the number of interfaces and programs, so a caller
 * that looks at several filters reads one view for all. Returns 0, and the caller frees *v with
 * attach_view_free(); or -errno (logged), with *v empty.
 */
int attach_view_read(struct attach_view *v);
void attach_view_free(struct attach_view *v);

/* Reads the list of a view alone. Returns 0, and the caller frees *out with free(); or -errno
 * (logged).
 */
int attach_list(struct attachment **out, int *cnt);

/* Looks for our program on one interface. Returns 1 and fills in *a; 0 if our program is not
 * there; -EBUSY, with a->id.prog_id, if another program runs there without a dispatcher, which
 * leaves no room for ours; another -errno if the program cannot be identified. Logs nothing.
 */
int attach_find(int ifindex, struct attachment *a);

/* Returns the index of this interface of this network namespace; 0 if there is none; or -errno
 * (logged).
 */
int attach_ifindex(const char *ifname);

/* Logs the first err in the list, with advice. Returns it, or 0 if there is none. */
int attach_log_unknown(const struct attachment *list, int cnt);

/* Checks that interface i exists and is named only once. Returns 0; -ENODEV or -EINVAL if not;
 * another -errno if that is unknown. Each error is logged.
 */
int attach_check_named(const struct placement *where, int i);

/* Checks that our program can be attached beside what runs on the interface. Returns 0; -EEXIST if
 * our program runs there already; -EBUSY if another program runs there without a dispatcher;
 * another -errno if that is unknown. Each error is logged.
 */
int attach_check_room(const char *ifname);

/* Returns the reason why an interface was refused (err: -errno): the driver's message, if it gave
 * one since kernel_forget_message(). If the driver has no native XDP, the reason has the words of
 * `check`.
 */
const char *attach_refusal(int err);

/* Checks that the program can be attached in this mode. has_native, has_hw: the driver's modes.
 * Returns 0, with a note if MODE_ANY means skb mode here; or -EOPNOTSUPP (logged).
 */
int attach_check_mode(const char *ifname, enum attach_mode mode, bool has_native, bool has_hw);

/* Checks that packets of the interface can be redirected to AF_XDP sockets in this mode. features:
 * driver_xdp_features() of the driver; they count for the modes that use the driver. Returns 0,
 * with a note if redirecting is slow; or -EOPNOTSUPP (logged).
 */
int attach_check_redirect(const char *ifname, enum attach_mode mode, uint64_t features);

/* Writes the names of the programs in the interface's dispatcher, separated by ", "; "" if there
 * is no dispatcher. Returns 0; or -errno if they cannot be read.
 */
int attach_neighbours(int ifindex, char *names, size_t size);

/* Attaches the program to all of these interfaces, which have passed the checks above. With
 * MODE_ANY tries native, then skb, and logs which. Returns 0, or -errno (logged). After a failure
 * the first interfaces may run the program; attachments_detach() detaches it.
 */
int attach_all(struct xdp_dedup *prog, const struct placement *where);

/* Attaches the program to cnt interfaces, each in its own mode: in a dispatcher, beside the
 * programs that run there. Returns and leaves what attach_all() does.
 */
int attach_each(struct xdp_dedup *prog, char *const *ifnames, const enum attach_mode *modes, int cnt);

/* Replaces the program of `old`, which runs without a dispatcher, by new_fd in one step. Returns
 * 0, or -errno (logged).
 */
int attach_replace(const struct attachment *old, int new_fd);

/* Does what attach_replace() does, and logs nothing. */
int attach_exchange(const struct attachment *old, int new_fd);

/* Finds the program that the driver calls for this attachment: our program, or the dispatcher if
 * our program is the only one in it. Returns 1, and *ret_prog_id; 0 if other programs share the
 * dispatcher, or if the interface does not run our program any more; or -errno. Logs nothing.
 */
int attach_caller(const struct attachment *a, uint32_t *ret_prog_id);

/* Close descriptors that libxdp 1.3 leaves open. attach_note_fds() is called before any code that
 * lists or attaches programs through libxdp, attach_close_other_fds() after it: it closes all
 * descriptors that are open now but were not then. Otherwise live.h would take a program for one
 * in use because this process holds it open.
 */
void attach_note_fds(fd_set *open);
void attach_close_other_fds(const fd_set *open);

/* Returns the program's descriptor, which belongs to the skeleton; or -errno (logged). Loads the
 * program if attach_all() has not done so, as in tests.
 */
int attach_prog_fd(struct xdp_dedup *prog);

/* "native", "skb" or "hw"; "none" for MODE_ANY. */
const char *attach_mode_name(enum attach_mode mode);

/* Return the mode as libxdp has it (an enum xdp_attach_mode), and as a flag of bpf_xdp_attach(). */
int attach_mode_xdp(enum attach_mode mode);
uint32_t attach_mode_flag(enum attach_mode mode);

#endif
