// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "links_exchange.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>

#include <bpf/bpf.h>

#include "attach.h"
#include "detach.h"
#include "diag.h"
#include "fd.h"
#include "iface.h"
#include "identity.h"
#include "iface_link.h"
#include "links.h"
#include "loader.h"
#include "open.h"
#include "pin_dirs.h"
#include "share.h"

/* Attaches by a link that is pinned in this directory by the recorded name. If pinning fails, the
 * program is detached.
 */
static int attach_pinned(const char *directory, const char *recorded, int prog_fd,
			 const char *ifname, enum attach_mode *mode)
{
	int fd = attach_link(prog_fd, ifname, mode), err;

	if (fd < 0)
		return fd;
	err = iface_link_unpin(directory, recorded) ?: iface_link_pin(fd, directory, recorded);
	close(fd);
	return err ? diag_err(err, "cannot pin the link of %s: %s", ifname, strerror(-err)) : 0;
}

int links_attach(const char *directory, struct dedup_iface *entry, int prog_fd)
{
	enum attach_mode mode = (enum attach_mode)entry->mode;
	char ifname[IF_NAMESIZE];
	int err;

	if (!if_indextoname(entry->ifindex, ifname))
		return diag_err(-ENODEV, "there is no interface %s any more", entry->name);
	err = entry->shared ? share_attach(directory, ifname, &mode)
			    : attach_pinned(directory, entry->name, prog_fd, ifname, &mode);
	if (!err)
		entry->mode = mode;
	return err;
}

/* Pins the link of NAME in +NAME, too, by this name. Returns 1; 0 if NAME has no attached link; or
 * -errno.
 */
static int keep_link(const struct pair *p, const char *recorded, const char *ifname)
{
	int fd = *recorded ? iface_link_open(p->name, recorded) : -ENOENT, err;
	struct iface_link link;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	err = iface_link_info(fd, &link);
	if (!err && link.ifindex)
		err = iface_link_pin(fd, p->staged.name, ifname) ?: 1;
	close(fd);
	return err;
}

int links_prepare(struct pair *p, const struct requested_ifaces *ifaces)
{
	int pass_all = -1, err = 0;

	for (int i = 0; i < ifaces->cnt && !err; i++) {
		struct dedup_iface *entry = &p->staged.record->ifaces[i];
		int kept = keep_link(p, ifaces->recorded[i], entry->name);

		if (kept < 0)
			err = diag_err(kept, "cannot keep the link of %s: %s", entry->name,
				       strerror(-kept));
		if (kept || entry->shared || *ifaces->recorded[i])
			continue;
		if (pass_all < 0)
			pass_all = detach_pass_all();
		err = pass_all < 0 ? pass_all : links_attach(p->staged.name, entry, pass_all);
	}
	fd_close(pass_all);
	return err;
}

static bool has_link(const struct iface_link *list, int cnt, uint32_t id)
{
	for (int i = 0; i < cnt; i++)
		if (list[i].id == id)
			return true;
	return false;
}

/* Detaches the program in this directory from shared interfaces of this network namespace. */
static int detach_shared(const char *directory)
{
	struct links links;
	struct identity id;
	int err = filter_identity(directory, &id) ?: links_read(&links);

	if (err)
		return diag_err(err, "cannot tell where %s runs: %s", directory, strerror(-err));
	for (int i = 0; i < links.cnt && id.config_id; i++) {
		const struct link *l = &links.list[i];

		if (link_runs_xdp(l, 0) && share_detach(l->name, (int)l->index, id.config_id))
			err = -EIO; /* logged; the others are still detached */
	}
	links_free(&links);
	return err;
}

/* Does the filter have shared interfaces? True also if it cannot be opened. */
static bool may_be_shared(const char *directory)
{
	bool may = false;
	struct filter f;

	if (filter_open_without_blocks(directory, &f))
		return true;
	for (int i = 0; i < DEDUP_IFACES_MAX && !may; i++)
		may = f.record->ifaces[i].shared;
	filter_close(&f);
	return may;
}

int links_begin_detach(const char *directory, const char *keeper)
{
	struct iface_link list[DEDUP_IFACES_MAX], kept[DEDUP_IFACES_MAX];
	int cnt = iface_links_read(directory, list),
	    kept_cnt = keeper ? iface_links_read(keeper, kept) : 0;
	int err = cnt < 0 ? cnt : kept_cnt < 0 ? kept_cnt : 0;

	if (err)
		return diag_err(err, "cannot tell where %s runs: %s", directory, strerror(-err));
	for (int i = 0; i < cnt; i++)
		if (!has_link(kept, kept_cnt, list[i].id) && detach_begin(directory, list[i].ifname))
			err = -EIO;
	return err ?: may_be_shared(directory) ? detach_shared(directory) : 0;
}

/* Gives each link of NAME this program. Continues after a failure. */
static int update_links(const struct pair *p, int prog_fd)
{
	struct iface_link list[DEDUP_IFACES_MAX];
	int cnt = iface_links_read(p->name, list), err = 0;

	if (cnt < 0)
		return diag_err(cnt, "cannot tell where %s runs: %s", p->name, strerror(-cnt));
	for (int i = 0; i < cnt; i++) {
		int fd = iface_link_open(p->name, list[i].ifname);
		int update = fd < 0 ? fd : iface_link_update(fd, prog_fd);

		fd_close(fd);
		if (update && update != -ENOENT)
			err = diag_err(update, "cannot exchange the program on %s: %s",
				       list[i].ifname, strerror(-update));
	}
	return err;
}

/* Exchanges the program of one shared interface; now, old: the ids of the configurations of NAME
 * and +NAME. Returns and sets what links_exchange() does.
 */
static int exchange_shared(const char *name, struct dedup_iface *entry, uint32_t now, uint32_t old,
			   int *ret_err)
{
	struct shared_program found;
	int err;

	if (share_find((int)entry->ifindex, now, &found) > 0)
		return 0;
	*ret_err = share_detach(entry->name, (int)entry->ifindex, old);
	if (*ret_err)
		return 0;
	err = links_attach(name, entry, -1);
	if (err)
		*entry = (struct dedup_iface){ 0 };
	else
		diag_note("%s is shared: between the old program and the new one packets passed unjudged; a NIC that its driver resets lost them",
			  entry->name);
	return err;
}

static int exchange_all_shared(struct pair *p, int *ret_err)
{
	struct identity now, old;
	int unattached = 0;

	*ret_err = filter_identity(p->name, &now) ?: filter_identity(p->staged.name, &old);
	if (*ret_err)
		return diag_err(*ret_err, "cannot look at %s: %s", p->name, strerror(-*ret_err));
	for (int i = 0; i < DEDUP_IFACES_MAX && !*ret_err; i++) {
		struct dedup_iface *entry = &p->f.record->ifaces[i];

		if (entry->shared && iface_is_local(entry) &&
		    exchange_shared(p->name, entry, now.config_id, old.config_id, ret_err))
			unattached = -EIO;
	}
	return unattached;
}

int links_exchange(struct pair *p, int *ret_err)
{
	int prog_fd = loader_open_program(p->name), unattached;

	*ret_err = prog_fd < 0 ? prog_fd : update_links(p, prog_fd);
	fd_close(prog_fd);
	unattached = *ret_err ? 0 : exchange_all_shared(p, ret_err);
	if (!*ret_err)
		*ret_err = links_begin_detach(p->staged.name, p->name);
	return unattached;
}
