/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where a filter runs. Its record (include/record.h) lists the interfaces on which it is to run;
 * the pinned links (iface_link.h) show where it runs. A link can be read from any network
 * namespace, but the index of its interface is valid only in the namespace of that interface.
 */
#pragma once

#include <stdbool.h>

#include "attach.h"
#include "links.h"
#include "open_filter.h"

/* One recorded interface. */
struct attachment {
	char ifname[IF_NAMESIZE];   /* the current name if `local`; else the recorded name */
	char recorded[IF_NAMESIZE]; /* the name in the record, and in the link's pin */
	uint32_t ifindex;	    /* 0: no program of the filter runs on it */
	enum attach_mode mode;
	uint32_t link_id; /* 0: it has no link (shared) */
	uint32_t prog_id; /* of the program that runs there */
	bool local;	  /* a program runs there, and it is in this network namespace */
	bool shared;	  /* attached through libxdp, beside other programs (share.h) */
	bool ours;	  /* the program belongs to the filter: nobody has replaced it */
	bool unknown;	  /* shared, and libxdp failed to report its programs */
};

/* Does the filter run on this interface of this network namespace? */
static inline bool attachment_runs_here(const struct attachment *a)
{
	return a->local && a->ours && !a->unknown;
}

struct attachments {
	struct attachment list[DEDUP_IFACES_MAX];
	int cnt;
};

/* Reads where an open filter runs: an element for each interface in its record. links: the current
 * interfaces of this network namespace; NULL: it reads them. Returns 0, or -errno (not logged);
 * then *out may be incomplete.
 */
int attachments_read(const struct filter *f, const struct links *links, struct attachments *out);

/* Finds a local interface by its current name, or else one that is not local by its recorded name.
 * Returns NULL if there is none.
 */
const struct attachment *attachments_on(const struct attachments *a, const char *ifname);

/* Opens the filter with the name `what`; else the filter that runs on the interface `what` of this
 * network namespace; else the only filter whose record has that interface. attachments_find() does
 * not log the -ENOENT of a missing filter. Both return 0, and the caller closes *out with
 * filter_close(); or -errno (logged).
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
int attachments_filter_on(const struct link *l, char name[NAME_MAX_LEN + 1]);

/* Fills in a record's entry for an interface of this network namespace. Returns 0, or -ENODEV
 * (logged).
 */
int attachments_entry(const char *ifname, const struct placement *where, struct dedup_iface *out);

/* Writes the interfaces on which the program of *f is to run, and the MACs of this host there, into
 * its record. from: the running filter, whose MACs of interfaces in other network namespaces are
 * kept; or NULL. Returns 0, or -errno (logged).
 */
int attachments_write_record(struct filter *f, const struct dedup_iface *ifaces, int cnt,
			     const struct filter *from);

/* Writes the current index and network namespace of each local interface into the record. */
void attachments_update_record(struct filter *f, const struct attachments *a);
