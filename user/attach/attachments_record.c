// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A filter's record: its interfaces, as they are attached, move and go. */
#include "attachments.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>

#include "diag.h"
#include "dispatch.h"
#include "extensions.h"
#include "here.h"
#include "links.h"
#include "receivers.h"

struct dedup_iface *attachments_recorded(const struct filter *f, const char *ifname)
{
	uint32_t ifindex = if_nametoindex(ifname);

	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		struct dedup_iface *iface = &f->record->ifaces[i];

		if (iface->ifindex &&
		    (ifindex ? iface->ifindex == ifindex : here_is_named(iface, ifname)) &&
		    here_has(iface))
			return iface;
	}
	return NULL;
}

static int make_entry(const char *ifname, enum attach_mode mode, struct dedup_iface *entry)
{
	*entry = (struct dedup_iface){ .netns = here_netns(),
				       .ifindex = if_nametoindex(ifname),
				       .mode = mode };
	if (!entry->netns)
		return diag_err(-EIO, "the kernel does not tell which network namespace this is");
	/* The user may have given an alias. */
	if (!entry->ifindex || !if_indextoname(entry->ifindex, entry->name))
		return diag_err(-ENODEV, "there is no interface %s any more", ifname);
	return 0;
}

int attachments_write_record(struct filter *f, const struct placement *where)
{
	struct links links;
	int err = receivers_links(&links);

	if (err)
		return err;
	for (int i = 0; i < where->cnt && !err; i++)
		err = make_entry(where->ifnames[i], where->mode, &f->record->ifaces[i]);
	if (!err)
		receivers_refresh(f, &links);
	links_free(&links);
	return err;
}

/* Does the list have this filter on this interface? */
static bool is_filter_in(const struct attachment *list, int cnt, const struct filter *f,
			 uint32_t ifindex)
{
	for (int i = 0; i < cnt; i++)
		if (!list[i].err && list[i].id.state_id == f->state_id &&
		    list[i].ifindex == (int)ifindex)
			return true;
	return false;
}

int attachments_view(const struct filter *f, struct attach_view *view)
{
	bool fits = view->links.cnt;

	for (int i = 0; i < DEDUP_IFACES_MAX && fits; i++) {
		const struct dedup_iface *iface = &f->record->ifaces[i];

		fits = !here_has(iface) || is_filter_in(view->list, view->cnt, f, iface->ifindex);
	}
	if (fits)
		return 0;
	attach_view_free(view);
	return attach_view_read(view);
}

/* The record's entry of an interface that has moved here. It is one of those whose interface is not
 * attached here: the one with its name, or the only one. NULL if that leaves several.
 */
static struct dedup_iface *entry_of_moved(const struct filter *f, const struct attachment *list,
					  int cnt, const char *ifname)
{
	struct dedup_iface *candidate = NULL;
	int candidates = 0;

	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		struct dedup_iface *iface = &f->record->ifaces[i];

		if (!iface->ifindex ||
		    (here_has(iface) && is_filter_in(list, cnt, f, iface->ifindex)))
			continue;
		if (here_is_named(iface, ifname))
			return iface;
		candidate = iface;
		candidates++;
	}
	return candidates == 1 ? candidate : NULL;
}

const struct dedup_iface *attachments_same_index(const struct filter *f,
						 const struct attachment *list, int cnt,
						 const struct attachment *a)
{
	const struct dedup_iface *own = attachments_recorded(f, a->ifname);

	if (!own)
		own = entry_of_moved(f, list, cnt, a->ifname);
	for (int i = 0; i < DEDUP_IFACES_MAX && own && f->config->policy.deliver; i++) {
		const struct dedup_iface *other = &f->record->ifaces[i];

		if (other != own && other->ifindex == (uint32_t)a->ifindex && !here_has(other))
			return other;
	}
	return NULL;
}

/* Nothing is lost once the program is off. */
static int explain_same_index(const struct filter *f, const char *ifname,
			      const struct dedup_iface *other)
{
	char name[IF_NAMESIZE];

	here_name(other, name);
	return diag_err(
		-ENOTUNIQ,
		"%s has the index %u, as %s has in another network namespace, so that packets for AF_XDP sockets are lost: xdp-dedup unload %s, and load another filter than %s there",
		ifname, other->ifindex, name, ifname, f->name);
}

int attachments_follow(struct filter *f, const struct attachment *list, int cnt)
{
	struct identity id;
	int err = filter_identity(f->name, &id);

	if (err)
		return diag_err(err, "cannot look at %s: %s", f->name, strerror(-err));
	for (int i = 0; i < cnt && !err; i++) {
		const struct attachment *a = &list[i];
		const struct dedup_iface *other;
		struct dedup_iface *entry;

		if (a->err || a->id.config_id != id.config_id || attachments_recorded(f, a->ifname))
			continue;
		entry = entry_of_moved(f, list, cnt, a->ifname);
		if (!entry) {
			diag_note("cannot tell which of the interfaces of %s has become %s: load it again",
				  f->name, a->ifname);
			continue;
		}
		other = attachments_same_index(f, list, cnt, a);
		if (other) {
			err = explain_same_index(f, a->ifname, other);
			continue;
		}
		*entry = (struct dedup_iface){ .netns = here_netns(), .ifindex = a->ifindex };
		memcpy(entry->name, a->ifname, sizeof(entry->name));
	}
	return err;
}

/* Is it in another network namespace, or no longer in this one? */
static bool is_unseen(const struct dedup_iface *iface)
{
	char name[IF_NAMESIZE];

	return iface->ifindex && (!here_has(iface) || !if_indextoname(iface->ifindex, name));
}

const struct dedup_iface *attachments_unseen(const struct filter *f)
{
	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (is_unseen(&f->record->ifaces[i]))
			return &f->record->ifaces[i];
	return NULL;
}

/* Does the filter run where this process does not see it? 1 or 0; -errno if it is unknown,
 * -EXDEV as of links_run_xdp_elsewhere(). In a dispatcher its program is not what the interface
 * says it runs.
 */
static int runs_unseen(const struct filter *f, const struct attachment *list, int cnt)
{
	bool is_dispatched = false;
	uint32_t alone = 0; /* the program of an interface without a dispatcher; 0: there is none */
	struct identity id;
	int runs;
	int err = filter_identity(f->name, &id);

	if (err)
		return err;
	for (int i = 0; i < cnt; i++) {
		if (list[i].err)
			return -ENODATA;
		if (!attachments_is_theirs(&list[i], id))
			continue;
		if (list[i].dispatcher)
			is_dispatched = true;
		else
			alone = list[i].id.prog_id;
	}
	if (!alone && !is_dispatched)
		return attachments_elsewhere(f->name);
	runs = is_dispatched ? dispatch_runs_elsewhere(f->state_id) : 0;
	return runs || !alone ? runs : links_run_xdp_elsewhere(alone);
}

void attachments_forget_gone(struct filter *f, const struct attachment *list, int cnt)
{
	int runs = attachments_unseen(f) ? runs_unseen(f, list, cnt) : 1;

	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		struct dedup_iface *iface = &f->record->ifaces[i];

		if (is_unseen(iface) && (!runs || (runs == -EXDEV && here_has(iface))))
			*iface = (struct dedup_iface){ 0 };
	}
}

/* Is it known that the filter runs out of sight? Pins of a dispatcher alone do not say so. */
static bool runs_for_sure(const struct filter *f)
{
	struct extensions e = { 0 };
	struct identity id;
	bool runs = !filter_identity(f->name, &id) && id.prog_id &&
		    links_run_xdp_elsewhere(id.prog_id) > 0;

	extensions_read(&e);
	for (int i = 0; i < e.cnt && !runs; i++)
		runs = !identity_of_program_id(e.list[i].prog_id, &id) &&
		       id.state_id == f->state_id && links_run_xdp_elsewhere(e.list[i].of) > 0;
	extensions_free(&e);
	return runs;
}

int attachments_give_up(struct filter *f, const char *ifname)
{
	struct dedup_iface *found = NULL;

	for (int i = 0; i < DEDUP_IFACES_MAX && !found; i++)
		if (is_unseen(&f->record->ifaces[i]) && here_is_named(&f->record->ifaces[i], ifname))
			found = &f->record->ifaces[i];
	if (!found)
		return -ENOENT;
	if (runs_for_sure(f))
		return -EBUSY;
	*found = (struct dedup_iface){ 0 };
	if (!attachments_unseen(f)) /* what its dispatcher has left */
		dispatch_forget(f->state_id);
	return 0;
}
