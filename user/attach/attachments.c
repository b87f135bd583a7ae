// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "attachments.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "config_streams.h"
#include "diag.h"
#include "dispatch.h"
#include "extensions.h"
#include "here.h"
#include "links.h"
#include "live.h"
#include "open.h"
#include "pin_dirs.h"
#include "receivers.h"
#include "stream_ids.h"

bool attachments_is_theirs(const struct attachment *a, struct identity id)
{
	if (a->err)
		return false;
	return (id.state_id && a->id.state_id == id.state_id) ||
	       (id.prog_id && a->id.prog_id == id.prog_id);
}

int attachments_here(struct identity id)
{
	struct attachment *list;
	bool here = false;
	int cnt, err = attach_list(&list, &cnt);

	if (err)
		return err;
	for (int i = 0; i < cnt; i++)
		here |= attachments_is_theirs(&list[i], id);
	free(list);
	return here;
}

int attachments_elsewhere(const char *name)
{
	struct identity id, beside;
	char directory[PATH_MAX];
	int err = filter_identity(name, &id);

	pin_dir_beside(directory, name);
	if (!err)
		err = filter_identity(directory, &beside);
	if (!err && !id.prog_id) /* a load was killed before it could pin its program */
		err = live_find_program(id.state_id, &id.prog_id);
	if (err)
		return err;
	if (beside.config_id || (id.prog_id && links_run_xdp_elsewhere(id.prog_id) > 0))
		return 1;
	return live_anywhere(name);
}

int attachments_in_use(const char *name)
{
	struct identity id;
	int err = filter_identity(name, &id);

	if (!err)
		err = attachments_here(id);
	if (err)
		return err > 0 ? ATTACHED_HERE : err;
	err = attachments_elsewhere(name);
	return err > 0 ? ATTACHED_ELSEWHERE : err;
}

/* Finds our program on this interface. 0, and a->ifindex is 0 if it does not run there; -errno
 * (logged).
 */
static int find_attachment(const char *ifname, struct attachment *a)
{
	int ifindex = attach_ifindex(ifname);
	struct attachment *list;
	int cnt, err = ifindex < 0 ? ifindex : attach_list(&list, &cnt);

	*a = (struct attachment){ 0 };
	if (err)
		return err;
	for (int i = 0; i < cnt; i++)
		if (list[i].ifindex == ifindex)
			*a = list[i];
	free(list);
	return attach_log_unknown(a, 1);
}

/* Opens the one of these filters that has this state map; or, if state_id is 0, does
 * attachments_open_recorded().
 */
static int find_filter(char **names, uint32_t state_id, const char *ifname, struct filter *out)
{
	int found = 0, err = 0;
	struct filter f;

	for (char **n = names; !err && *n; n++) {
		int open_err = filter_open(*n, &f);

		if (open_err == -EPROTO || open_err == -ENOENT)
			continue;
		if (open_err) {
			err = loader_explain(*n, open_err);
			if (found)
				filter_close(out);
			break;
		}
		if (state_id ? f.state_id != state_id : !attachments_recorded(&f, ifname)) {
			filter_close(&f);
		} else if (!found++) {
			*out = f;
		} else {
			err = diag_err(-ENOTUNIQ,
				       "%s runs no filter now, and did run %s and %s" ADVICE
				       "say which by its own name",
				       ifname, out->name, f.name);
			filter_close(out);
			filter_close(&f);
		}
	}
	return err ? err : found ? 0 : -ENOENT;
}

int attachments_open_recorded(char **names, const char *ifname, struct filter *out)
{
	return find_filter(names, 0, ifname, out);
}

/* Opens the filter that is attached to this interface, and says in *a how. If none is, a->ifindex
 * is 0 and the filter that has it in its record is opened. Errors as of find_filter().
 */
static int open_on(const char *ifname, struct attachment *a, struct filter *f)
{
	int err = find_attachment(ifname, a);
	char **names = NULL;

	if (!err)
		err = loader_names(&names);
	if (!err)
		err = find_filter(names, a->ifindex ? a->id.state_id : 0, ifname, f);
	loader_free_names(names);
	return err;
}

int attachments_explain_gone(const char *ifname)
{
	return diag_err(-ESTALE,
			"the pins of the filter on %s are gone" ADVICE
			"xdp-dedup unload %s removes its program",
			ifname, ifname);
}

/* Does the interface run the same filter as when *a was found? 1 or 0; -errno (logged). */
static int is_still_attached(const struct attachment *a)
{
	struct attachment now;
	int err = find_attachment(a->ifname, &now);

	return err ? err : now.ifindex == a->ifindex && now.id.state_id == a->id.state_id;
}

int attachments_find(const char *what, struct filter *out)
{
	struct attachment a;
	int err = filter_open(what, out), still = 0;

	if (err != -ENOENT)
		return err ? loader_explain(what, err) : 0;
	do { /* again if it was unloaded, or replaced, while its pins were looked for */
		err = open_on(what, &a, out);
		if (err == -ENOENT && a.ifindex)
			still = is_still_attached(&a);
	} while (err == -ENOENT && a.ifindex && !still);
	if (err == -ENOENT && still < 0)
		return still;
	return err == -ENOENT && a.ifindex ? attachments_explain_gone(what) : err;
}

int attachments_open(const char *what, struct filter *out)
{
	int err = attachments_find(what, out);

	return err == -ENOENT ? loader_explain(what, err) : err;
}

static int select_stream(struct filter *f, const char *name)
{
	char list[DEDUP_STREAMS_MAX * (DEDUP_STREAM_NAME + 2)] = "";
	size_t len = 0;

	if (name ? !stream_select(f, name) : f->stream >= 0)
		return 0;
	for (uint32_t n = 0; n < f->config->policy.streams_cnt; n++)
		len += snprintf(list + len, sizeof(list) - len, "%s%s", n ? ", " : "",
				f->config->policy.streams[n].name);
	if (name)
		return diag_err(-ENOENT, "%s has no stream %s; it has %s", f->name, name, list);
	return diag_err(-EDESTADDRREQ, "%s has several streams: say which, as in %s/%s; there are %s",
			f->name, f->name, f->config->policy.streams[0].name, list);
}

int attachments_open_stream(const char *what, struct filter *out)
{
	size_t len = strcspn(what, "/");
	char *name = strndup(what, len);
	int err = name ? attachments_open(name, out) : -ENOMEM;

	free(name);
	if (err)
		return err;
	err = select_stream(out, what[len] ? what + len + 1 : NULL);
	if (err)
		filter_close(out);
	return err;
}

int attachments_detach(const char *name)
{
	struct attachment *list;
	struct identity id;
	int cnt, err = filter_identity(name, &id);

	if (err)
		return diag_err(err, "cannot tell where %s runs: %s", name, strerror(-err));
	err = attach_list(&list, &cnt);
	if (err)
		return err;
	for (int i = 0; i < cnt; i++)
		list[i].meant = attachments_is_theirs(&list[i], id);
	err = attach_detach_meant(list, cnt);
	free(list);
	return err;
}

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
static bool is_in(const struct attachment *list, int cnt, const struct filter *f, uint32_t ifindex)
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

		fits = !here_has(iface) || is_in(view->list, view->cnt, f, iface->ifindex);
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

		if (!iface->ifindex || (here_has(iface) && is_in(list, cnt, f, iface->ifindex)))
			continue;
		if (here_is_named(iface, ifname))
			return iface;
		candidate = iface;
		candidates++;
	}
	return candidates == 1 ? candidate : NULL;
}

const struct dedup_iface *attachments_twin(const struct filter *f, const struct attachment *list,
					   int cnt, const struct attachment *a)
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
static int explain_twin(const struct filter *f, const char *ifname, const struct dedup_iface *twin)
{
	char name[IF_NAMESIZE];

	here_name(twin, name);
	return diag_err(
		-ENOTUNIQ,
		"%s has the index %u, as %s has in another network namespace, so that packets for AF_XDP sockets are lost: xdp-dedup unload %s, and load another filter than %s there",
		ifname, twin->ifindex, name, ifname, f->name);
}

int attachments_follow(struct filter *f, const struct attachment *list, int cnt)
{
	struct identity id;
	int err = filter_identity(f->name, &id);

	if (err)
		return diag_err(err, "cannot look at %s: %s", f->name, strerror(-err));
	for (int i = 0; i < cnt && !err; i++) {
		const struct attachment *a = &list[i];
		const struct dedup_iface *twin;
		struct dedup_iface *entry;

		if (a->err || a->id.config_id != id.config_id || attachments_recorded(f, a->ifname))
			continue;
		entry = entry_of_moved(f, list, cnt, a->ifname);
		if (!entry) {
			diag_note("cannot tell which of the interfaces of %s has become %s: load it again",
				  f->name, a->ifname);
			continue;
		}
		twin = attachments_twin(f, list, cnt, a);
		if (twin) {
			err = explain_twin(f, a->ifname, twin);
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

/* Does the filter run where this process does not see it? 1 or 0; -errno if it cannot be told,
 * -EXDEV as of links_run_xdp_elsewhere(). In a dispatcher its program is not what the interface
 * says it runs.
 */
static int runs_unseen(const struct filter *f, const struct attachment *list, int cnt)
{
	int alone = 0, dispatched = 0, runs;
	struct identity id;
	int err = filter_identity(f->name, &id);

	if (err)
		return err;
	for (int i = 0; i < cnt; i++) {
		if (list[i].err)
			return -ENODATA;
		if (attachments_is_theirs(&list[i], id))
			*(list[i].dispatcher ? &dispatched : &alone) += 1;
	}
	if (!alone && !dispatched)
		return attachments_elsewhere(f->name);
	runs = dispatched ? dispatch_runs_elsewhere(f->state_id) : 0;
	return runs || !alone ? runs : links_run_xdp_elsewhere(id.prog_id);
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
	for (int i = 0; i < e.cnt && !runs; i++) {
		int fd = bpf_prog_get_fd_by_id(e.list[i].prog_id);

		if (fd < 0)
			continue;
		runs = !identity_of_program(fd, &id) && id.state_id == f->state_id &&
		       links_run_xdp_elsewhere(e.list[i].of) > 0;
		close(fd);
	}
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
