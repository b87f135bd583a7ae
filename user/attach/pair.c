// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pair.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>

#include "attachments.h"
#include "detach.h"
#include "diag.h"
#include "fd.h"
#include "here.h"
#include "kernel.h"
#include "live.h"
#include "loader.h"
#include "maps.h"
#include "open.h"
#include "pin_dirs.h"

void pair_close(struct pair *p)
{
	filter_close(&p->f);
	filter_close(&p->staged);
	free(p->list);
	p->list = NULL;
}

int pair_open(const char *name, struct pair *p)
{
	char staging[PATH_MAX];
	int err;

	pin_dir_staging(staging, name);
	*p = (struct pair){ .name = name };
	p->f.stats_fd = p->f.wanted_fd = p->staged.stats_fd = p->staged.wanted_fd = -1;
	err = filter_open(name, &p->f)
	      ?: filter_open_staged(name, &p->staged)
	      ?: filter_identity(name, &p->id)
	      ?: filter_identity(staging, &p->staged_id);
	if (err)
		pair_close(p);
	return err;
}

bool pair_same_memory(const struct pair *p)
{
	return p->f.state_id == p->staged.state_id;
}

bool pair_is_committed(const struct pair *p)
{
	return filter_is_later(&p->f, &p->staged);
}

static bool runs(const struct attachment *a, struct identity id)
{
	return !a->err && a->id.config_id == id.config_id;
}

const struct attachment *pair_attached(const struct pair *p, int ifindex, struct identity id)
{
	for (int i = 0; i < p->cnt; i++)
		if (p->list[i].ifindex == ifindex && runs(&p->list[i], id))
			return &p->list[i];
	return NULL;
}

int pair_list(struct pair *p)
{
	int err;

	free(p->list);
	p->list = NULL;
	err = attach_list(&p->list, &p->cnt);
	return err ? err : attach_log_unknown(p->list, p->cnt);
}

/* Brings the record of this one of the two up to date, as if it ran wherever either does; but what
 * the other's record alone has is an interface that the change adds or removes, and has not moved.
 */
static int follow(const struct pair *p, struct filter *f, struct identity id,
		  const struct filter *other)
{
	struct attachment *list = calloc(p->cnt + 1, sizeof(*list));
	int err;

	if (!list)
		return diag_err(-ENOMEM, "no memory");
	for (int i = 0; i < p->cnt; i++) {
		struct attachment *a = &list[i];

		*a = p->list[i];
		if (a->id.state_id != p->f.state_id && a->id.state_id != p->staged.state_id)
			continue;
		a->id = id;
		if (!attachments_recorded(f, a->ifname) && attachments_recorded(other, a->ifname))
			a->id = (struct identity){ 0 };
	}
	err = attachments_follow(f, list, p->cnt);
	free(list);
	return err;
}

int pair_follow(struct pair *p)
{
	struct dedup_record record = *p->f.record;
	struct filter before = p->f;

	before.record = &record;
	return pair_list(p)
	       ?: follow(p, &p->f, p->id, &p->staged)
	       ?: follow(p, &p->staged, p->staged_id, &before);
}

void pair_begin_drops(const struct pair *p)
{
	if (!p->f.record->drop_until_ns)
		return;
	WRITE_ONCE(p->f.state->drop_until_ns, p->f.record->drop_until_ns);
	/* As the hand's next step will: it may be that of an earlier time. */
	WRITE_ONCE(p->f.state->counting, kernel_now_ns() >= p->f.record->drop_until_ns);
}

/* Does NAME's program take the place of that of +NAME anywhere, instead of running beside it? */
static const struct attachment *in_place(const struct pair *p, const struct dedup_iface *entry)
{
	const struct attachment *a = pair_attached(p, (int)entry->ifindex, p->staged_id);

	return here_has(entry) && a && !a->dispatcher ? a : NULL;
}

int pair_missing(const struct pair *p, char names[][IF_NAMESIZE], enum attach_mode *modes)
{
	int cnt = 0;

	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct dedup_iface *entry = &p->f.record->ifaces[i];
		int ifindex = (int)entry->ifindex;
		const struct attachment *a = pair_attached(p, ifindex, p->staged_id);

		if (!here_has(entry) || in_place(p, entry) || pair_attached(p, ifindex, p->id) ||
		    !if_indextoname(entry->ifindex, names[cnt]))
			continue;
		modes[cnt++] = a ? a->mode : (enum attach_mode)entry->mode;
	}
	return cnt;
}

/* Is it a packet program as it was compiled, and not one that libxdp has put into a dispatcher? */
static bool is_xdp(int prog_fd)
{
	struct bpf_prog_info info = { 0 };

	return !kernel_info(prog_fd, &info, sizeof(info)) && info.type == BPF_PROG_TYPE_XDP;
}

int pair_attach_to(const struct pair *p, char *const *names, const enum attach_mode *modes, int cnt)
{
	struct xdp_dedup *prog;
	fd_set before;
	int fd, err;

	attach_note_fds(&before);
	err = loader_program_open(p->name, &prog);
	if (err)
		return err;
	err = attach_each(prog, names, modes, cnt);
	fd = err ? err : attach_prog_fd(prog);
	if (fd >= 0 && is_xdp(fd))
		err = loader_pin_program(p->name, fd);
	loader_program_close(prog);
	attach_close_other_fds(&before);
	return fd < 0 ? fd : err;
}

static int attach_missing(const struct pair *p)
{
	char names[DEDUP_IFACES_MAX][IF_NAMESIZE], *list[DEDUP_IFACES_MAX];
	enum attach_mode modes[DEDUP_IFACES_MAX];
	int cnt = pair_missing(p, names, modes);

	for (int i = 0; i < cnt; i++)
		list[i] = names[i];
	return cnt ? pair_attach_to(p, list, modes, cnt) : 0;
}

/* NAME's program, loaded: its descriptor, or -errno. The pin is that of a program which runs
 * already, or which live_exchange() has loaded.
 */
static int open_pair_program(const char *name)
{
	char path[PATH_MAX];
	struct xdp_dedup *prog;
	int fd, err;

	pin_path(path, name, PIN_PROG);
	fd = bpf_obj_get(path);
	if (fd >= 0 && is_xdp(fd))
		return fd;
	if (fd < 0 && errno != ENOENT)
		return diag_err(-errno, "cannot open %s: %s", path, strerror(errno));
	fd_close(fd);
	err = loader_program_open(name, &prog);
	if (err)
		return err;
	fd = attach_prog_fd(prog);
	err = fd < 0 ? fd : loader_pin_program(name, fd);
	if (!err)
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (!err && fd < 0)
		err = diag_err(-errno, "cannot keep the program open: %s", strerror(errno));
	loader_program_close(prog);
	return err ? err : fd;
}

int pair_attach_instead(struct pair *p)
{
	int fd = -1, err = 0;

	for (int i = 0; i < DEDUP_IFACES_MAX && !err; i++) {
		const struct attachment *a = in_place(p, &p->f.record->ifaces[i]);

		if (!a)
			continue;
		if (fd < 0)
			fd = open_pair_program(p->name);
		err = fd < 0 ? fd : attach_replace(a, fd);
	}
	fd_close(fd);
	return err;
}

/* A program that drops for a time goes on with it, while the next one uses its state. */
int pair_attach_new(struct pair *p)
{
	int err = pair_list(p);

	if (err)
		return err;
	if (p->staged.config->policy.action != DEDUP_DROP_FOR || !pair_same_memory(p))
		pair_begin_drops(p);
	err = attach_missing(p);
	return err ? err : pair_attach_instead(p);
}

int pair_detach_staged(struct pair *p)
{
	int live, err = pair_list(p);

	if (err)
		return err;
	for (int i = 0; i < p->cnt; i++)
		p->list[i].meant = runs(&p->list[i], p->staged_id);
	err = detach_meant(p->list, p->cnt);
	if (err)
		return err;
	err = filter_unpin_program(&p->staged);
	if (err)
		return diag_err(err, "cannot remove a pin of the program that %s had: %s", p->name,
				strerror(-err));
	if (!attachments_unseen(&p->f) && !attachments_unseen(&p->staged))
		return 0;
	live = live_program_of(p->staged_id.config_id);
	if (live < 0)
		return diag_err(live, "cannot look at the programs in the kernel: %s",
				strerror(-live));
	if (live)
		return diag_err(
			-EBUSY,
			"%s is being changed, and another of its programs is still in use, it may be in another network namespace: any change there ends that",
			p->name);
	return 0;
}

int pair_pin_program(struct pair *p)
{
	int fd, err = pair_list(p);
	struct identity id = { 0 };

	if (err)
		return err;
	err = filter_identity(p->name, &id); /* it may have been pinned just now */
	if (err)
		return diag_err(err, "cannot look at %s: %s", p->name, strerror(-err));
	for (int i = 0; i < p->cnt && !err; i++) {
		if (!runs(&p->list[i], p->id))
			continue;
		if (p->list[i].id.prog_id == id.prog_id)
			break;
		fd = bpf_prog_get_fd_by_id(p->list[i].id.prog_id);
		err = fd < 0 ? diag_err(-errno, "cannot open the program of %s: %s", p->name,
					strerror(errno))
			     : loader_pin_program(p->name, fd);
		fd_close(fd);
		break;
	}
	return err;
}
