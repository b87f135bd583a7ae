// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "attachments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "iface.h"
#include "identity.h"
#include "iface_link.h"
#include "loader.h"
#include "open.h"
#include "own_macs.h"
#include "pin_dirs.h"
#include "receivers.h"
#include "share.h"
#include "stream_ids.h"

#define READS 3 /* tries, as programs may be exchanged during a read */

/* The programs of a filter: its own, and during a change the one in +NAME. */
struct programs {
	struct identity now, staged;
};

static int read_programs(const char *name, struct programs *out)
{
	return filter_identity(name, &out->now) ?: filter_identity(PIN_STAGING(name), &out->staged);
}

static bool is_own(const struct programs *p, uint32_t prog_id)
{
	return prog_id && (prog_id == p->now.prog_id || prog_id == p->staged.prog_id);
}

/* Returns the mode in which an interface runs this program; MODE_ANY if it does not. */
static enum attach_mode mode_of(const struct link *l, uint32_t prog_id)
{
	return l->xdp_ids[LINK_XDP_NATIVE] == prog_id ? MODE_NATIVE
	       : l->xdp_ids[LINK_XDP_SKB] == prog_id  ? MODE_SKB
	       : l->xdp_ids[LINK_XDP_HW] == prog_id   ? MODE_HW
						      : MODE_ANY;
}

/* Fills in *a from the link's kernel object. Its program may have been exchanged after `links` was
 * read, so each of the filter's programs counts.
 */
static void read_link(const struct iface_link *link, const struct links *links,
		      const struct programs *programs, struct attachment *a)
{
	const struct link *l = links_find(links, link->ifindex);
	uint32_t runs = l ? l->xdp_ids[LINK_XDP_ANY] : 0;

	a->link_id = link->id;
	a->prog_id = link->prog_id;
	a->ifindex = link->ifindex;
	a->ours = is_own(programs, link->prog_id);
	a->local = l && runs && (link_runs_xdp(l, link->prog_id) || is_own(programs, runs));
	if (!a->local)
		return;
	a->mode = mode_of(l, runs);
	memcpy(a->ifname, l->name, sizeof(a->ifname));
}

/* Fills in *a of a shared interface, `l` (NULL: not local), by a query to libxdp. */
static void read_shared(const struct link *l, const struct programs *programs, struct attachment *a)
{
	struct shared_program found;
	bool may_run = l && link_runs_xdp(l, 0);
	int is = may_run ? share_find((int)l->index, programs->now.config_id, &found) : 0;

	if (!is && may_run)
		is = share_find((int)l->index, programs->staged.config_id, &found);
	a->shared = true;
	a->unknown = is < 0;
	if (is <= 0)
		return;
	a->ours = a->local = true;
	a->ifindex = l->index;
	a->prog_id = found.prog_id;
	a->mode = found.mode;
	memcpy(a->ifname, l->name, sizeof(a->ifname));
}

/* Of two local interfaces with one index, the less certain one is in another network namespace.
 * sure[]: 2 if the record confirms that the link's interface is the local one, plus 1 for the name.
 */
static void resolve_same_index(struct attachments *out, const int *sure)
{
	for (int i = 0; i < out->cnt; i++)
		for (int j = 0; j < out->cnt; j++) {
			struct attachment *a = &out->list[i], *b = &out->list[j];

			if (i == j || !a->local || !b->local || a->ifindex != b->ifindex ||
			    sure[i] < sure[j])
				continue;
			b->local = false;
			memcpy(b->ifname, b->recorded, sizeof(b->ifname));
		}
}

static int read_all(const struct filter *f, const struct links *links, struct attachments *out)
{
	int sure[DEDUP_IFACES_MAX] = { 0 };
	struct iface_link pinned[DEDUP_IFACES_MAX];
	struct programs programs;
	int cnt = iface_links_read(f->name, pinned);
	int err = cnt < 0 ? cnt : read_programs(filter_shown_name(f), &programs);

	*out = (struct attachments){ .cnt = 0 };
	for (int i = 0; i < DEDUP_IFACES_MAX && !err; i++) {
		const struct dedup_iface entry = f->record->ifaces[i];
		struct attachment *a = &out->list[out->cnt];
		const struct iface_link *link = NULL;
		const struct link *local;

		if (!entry.ifindex)
			continue;
		local = iface_is_local(&entry) ? links_find(links, entry.ifindex) : NULL;
		snprintf(a->recorded, sizeof(a->recorded), "%.*s", IF_NAMESIZE - 1, entry.name);
		memcpy(a->ifname, a->recorded, sizeof(a->ifname));
		a->mode = (enum attach_mode)entry.mode;
		for (int l = 0; l < cnt && !link; l++)
			if (!strcmp(pinned[l].ifname, a->recorded))
				link = &pinned[l];
		if (link)
			read_link(link, links, &programs, a);
		else if (entry.shared)
			read_shared(local, &programs, a);
		if (!a->ifindex && local) /* no program runs there: its current name */
			memcpy(a->ifname, local->name, sizeof(a->ifname));
		sure[out->cnt++] =
			2 * (local && local->index == a->ifindex) + !strcmp(a->ifname, a->recorded);
	}
	resolve_same_index(out, sure);
	return err;
}

/* Does a link have a program that is not the filter's, or that its interface does not run? Then
 * programs may have been exchanged while they were read.
 */
static bool may_have_changed(const struct attachments *a, const struct links *links)
{
	for (int i = 0; i < a->cnt; i++) {
		const struct attachment *at = &a->list[i];
		const struct link *l = at->link_id ? links_find(links, at->ifindex) : NULL;

		if (at->ifindex && (!at->ours || (l && link_runs_xdp(l, 0) && !at->local)))
			return true;
	}
	return false;
}

int attachments_read(const struct filter *f, const struct links *links, struct attachments *out)
{
	struct links again = { 0 };
	int err = links ? 0 : links_read(&again);

	links = links ?: &again;
	err = err ?: read_all(f, links, out);
	for (int i = 1; i < READS && !err && may_have_changed(out, links); i++) {
		links_free(&again);
		links = &again;
		err = links_read(&again) ?: read_all(f, links, out);
	}
	links_free(&again);
	return err;
}

const struct attachment *attachments_on(const struct attachments *a, const char *ifname)
{
	uint32_t ifindex = if_nametoindex(ifname);

	for (int i = 0; i < a->cnt && ifindex; i++)
		if (a->list[i].local && a->list[i].ifindex == ifindex)
			return &a->list[i];
	for (int i = 0; i < a->cnt; i++)
		if (!a->list[i].local && !strcmp(a->list[i].ifname, ifname))
			return &a->list[i];
	return NULL;
}

/* Returns 1 if the filter runs on this interface; -ENODEV if only its record has it; else 0, or
 * another -errno.
 */
static int is_on(const struct filter *f, const struct links *links, const char *ifname)
{
	const struct attachment *found;
	struct attachments a;
	int err = attachments_read(f, links, &a);

	if (err)
		return err;
	found = attachments_on(&a, ifname);
	if (!found || (found->ifindex && !found->local)) /* in another network namespace */
		return 0;
	return found->local ? 1 : -ENODEV;
}

/* Opens the filter that runs on the interface, or else the only one whose record has it. Returns 0;
 * -ENOENT (not logged); or another -errno (logged).
 */
static int find_filter(char **names, const struct links *links, const char *ifname, struct filter *out)
{
	struct filter recorded = { .stats_fd = -1, .wanted_fd = -1 };
	int err = -ENOENT, is;

	for (char **n = names; err == -ENOENT && *n; n++) {
		is = filter_open(*n, out);
		if (is == -EPROTO || is == -ENOENT)
			continue;
		if (is) {
			err = loader_explain(*n, is);
			break;
		}
		is = is_on(out, links, ifname);
		if (is == 1) {
			err = 0;
			break;
		}
		if (is == -ENODEV && !recorded.config) {
			recorded = *out;
			continue;
		}
		if (is == -ENODEV)
			err = diag_err(-ENOTUNIQ,
				       "%s runs no filter now, and did run %s and %s" ADVICE
				       "say which by its own name",
				       ifname, recorded.name, out->name);
		else if (is)
			err = loader_explain(*n, is);
		filter_close(out);
	}
	if (err == -ENOENT && recorded.config) {
		*out = recorded;
		return 0;
	}
	filter_close(&recorded);
	return err;
}

int attachments_find(const char *what, struct filter *out)
{
	char **names = NULL, name[NAME_MAX_LEN + 1];
	const struct link *l;
	struct links links;
	int err = filter_open(what, out), ifindex;

	if (err != -ENOENT)
		return err ? loader_explain(what, err) : 0;
	ifindex = attach_ifindex(what);
	if (ifindex < 0)
		return ifindex;
	err = receivers_links(&links) ?: loader_names(&names) ?: find_filter(names, &links, what, out);
	loader_free_names(names);
	l = err == -ENOENT ? links_find(&links, (uint32_t)ifindex) : NULL;
	/* A filter of another version, or an incomplete one, may run there: logs why it cannot open. */
	if (l && attachments_filter_on(l, name) == 1) {
		err = filter_open(name, out);
		if (err)
			loader_explain(name, err);
	}
	links_free(&links);
	return err;
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

/* Does this directory have a link of the interface? Returns 1 or 0; -errno. */
static int has_link(const char *directory, const struct link *l)
{
	struct iface_link pinned[DEDUP_IFACES_MAX];
	int cnt = iface_links_read(directory, pinned);

	for (int i = 0; i < cnt; i++)
		if (pinned[i].ifindex == l->index && link_runs_xdp(l, pinned[i].prog_id))
			return 1;
	return cnt < 0 ? cnt : 0;
}

int attachments_filter_on(const struct link *l, char name[NAME_MAX_LEN + 1])
{
	char **names = NULL;
	int err = link_runs_xdp(l, 0) ? loader_find_names(&names) : 0, found = 0;

	for (char **n = names; n && *n && !found; n++) {
		found = has_link(*n, l);
		if (found > 0)
			snprintf(name, NAME_MAX_LEN + 1, "%s", *n);
	}
	loader_free_names(names);
	return err ?: found;
}

int attachments_entry(const char *ifname, const struct placement *where, struct dedup_iface *out)
{
	*out = (struct dedup_iface){ .netns = iface_local_netns(),
				     .ifindex = if_nametoindex(ifname),
				     .mode = where->mode,
				     .shared = where->share };
	if (!out->netns)
		return diag_err(-EIO, "the kernel does not tell which network namespace this is");
	/* The user may have given an alternative name (altname) of the interface. */
	if (!out->ifindex || !if_indextoname(out->ifindex, out->name))
		return diag_err(-ENODEV, "there is no interface %s any more", ifname);
	return 0;
}

int attachments_write_record(struct filter *f, const struct dedup_iface *ifaces, int cnt,
			     const struct filter *from)
{
	struct dedup_record *r = f->record;
	struct links links;
	int err = receivers_links(&links);

	if (err)
		return err;
	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		r->ifaces[i] = i < cnt ? ifaces[i] : (struct dedup_iface){ 0 };
	if (from)
		own_macs_keep(f, from);
	receivers_refresh(f, &links);
	links_free(&links);
	return 0;
}

void attachments_update_record(struct filter *f, const struct attachments *a)
{
	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		for (int j = 0; j < a->cnt; j++) {
			struct dedup_iface *entry = &f->record->ifaces[i];

			if (!entry->ifindex || !a->list[j].local ||
			    strcmp(entry->name, a->list[j].recorded) != 0)
				continue;
			entry->ifindex = a->list[j].ifindex;
			entry->netns = iface_local_netns();
		}
}
