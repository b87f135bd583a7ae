/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a filter runs. Its record (include/record.h) has the interfaces on which it is to run; the
 * kernel, asked through the pinned links (iface_link.h), where it does. A link is read from any
 * network namespace, but its interface's index means an interface of the namespace that it is in.
 */
#ifndef XDP_DEDUP_ATTACHMENTS_H
#define XDP_DEDUP_ATTACHMENTS_H

#include <stdbool.h>

#include "attach.h"
#include "links.h"
#include "open_filter.h"

/* One recorded interface. */
struct attachment {
	char ifname[IF_NAMESIZE];   /* its name now, if it is here; else the recorded one */
	char recorded[IF_NAMESIZE]; /* the name in the record, and in the link's pin */
	uint32_t ifindex;	    /* 0: no program of the filter runs on it */
	enum attach_mode mode;
	uint32_t link_id; /* 0: it has no link (shared) */
	uint32_t prog_id; /* of the program that runs there */
	bool here;	  /* runs on an interface of this network namespace */
	bool shared;	  /* through libxdp, where other programs may be, too (share.h) */
	bool ours;	  /* the program is the filter's, and not one that somebody put there */
	bool unknown;	  /* shared, and libxdp cannot tell */
};

struct attachments {
	struct attachment list[DEDUP_IFACES_MAX];
	int cnt;
};

/* Reads where an open filter runs: an element for each interface in its record. links: those of
 * this network namespace, as they are now. Returns 0, or -errno (not logged).
 */
int attachments_read(const struct filter *f, const struct links *links, struct attachments *out);

/* Finds the interface of this network namespace, by its name now, or else by the recorded name of
 * one that is not here. Returns NULL if there is none.
 */
const struct attachment *attachments_on(const struct attachments *a, const char *ifname);

/* Returns an interface of another network namespace with the index of one that is here. Packets of
 * both would go to one AF_XDP socket (include/deliver.h), and the kernel would lose the packets of
 * one of them. NULL if there is none. *ret_here: the one that is here.
 */
const struct attachment *attachments_same_index(const struct attachments *a,
						const struct attachment **ret_here);

/* Opens the filter of this name. If there is none, takes `what` for an interface of this network
 * namespace: opens the filter that runs on it, or else the only filter whose record has it.
 * attachments_find() does not log the -ENOENT of a missing filter. Both return 0, and the caller
 * closes *out with filter_close(); or -errno (logged).
 */
int attachments_open(const char *what, struct filter *out);
int attachments_find(const char *what, struct filter *out);

/* Opens the filter of WHAT or WHAT/STREAM by attachments_open(), and selects the stream. Returns
 * -EDESTADDRREQ (logged) if the filter has several streams and none is named; -ENOENT (logged) if
 * it has none of this name.
 */
int attachments_open_stream(const char *what, struct filter *out);

/* Finds the filter that runs on this interface of this network namespace. Returns 1 and its name; 0
 * if there is none; or -errno (not logged).
 */
int attachments_filter_on(uint32_t ifindex, char name[NAME_MAX_LEN + 1]);

/* Makes an entry of a record for an interface of this network namespace. Returns 0, or -ENODEV
 * (logged).
 */
int attachments_entry(const char *ifname, const struct placement *where, struct dedup_iface *out);

/* Writes the interfaces on which the program of *f is to run into its record, and which frames are
 * for this host there. from: the filter as it runs, which knows the MACs of interfaces that are not
 * here; or NULL. Returns 0, or -errno (logged).
 */
int attachments_write_record(struct filter *f, const struct dedup_iface *ifaces, int cnt,
			     const struct filter *from);

/* Writes the index and network namespace of each interface that is here into the record. */
void attachments_follow(struct filter *f, const struct attachments *a);

#endif
