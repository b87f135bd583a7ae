// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What runs where, of attach.h: by one dump of the interfaces, which has the ids of their programs,
 * and one of the extensions, among which are the programs in dispatchers.
 */
#include "attach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "diag.h"
#include "dispatch.h"
#include "extensions.h"
#include "identity.h"
#include "kernel.h"

#define LOOKS_MAX 10 /* programs may change meanwhile */

static const struct {
	enum link_xdp xdp;
	enum attach_mode mode;
} LINK_MODES[] = {
	{ LINK_XDP_HW, MODE_HW },
	{ LINK_XDP_NATIVE, MODE_NATIVE },
	{ LINK_XDP_SKB, MODE_SKB },
};
#define LINK_MODES_CNT (sizeof(LINK_MODES) / sizeof(LINK_MODES[0]))

/* What is known of one interface that runs a program: found is as attach_find() returns it. */
struct look {
	struct attachment a;
	int found;
};

/* Is this our packet program, of whichever filter? 1, with a->id filled in;
 * 0 if it is another program; -errno if that is unknown.
 */
static int is_ours(uint32_t prog_id, struct attachment *a)
{
	struct bpf_prog_info info = { 0 };
	int fd = bpf_prog_get_fd_by_id(prog_id), err;

	if (fd < 0)
		return -errno;
	err = kernel_info(fd, &info, sizeof(info));
	if (!err && (!strcmp(info.name, "xdp_dedup") || !strcmp(info.name, "dedup_streams") ||
		     !strcmp(info.name, "dedup_numbered") || !strcmp(info.name, "dedup_deliver"))) {
		a->id.prog_id = prog_id;
		err = identity_of_program(fd, &a->id) ?: a->id.state_id != 0;
	}
	close(fd);
	return err;
}

/* Is ours among the extensions of the program? As is_ours(). */
static int is_extended_by_ours(const struct extensions *e, uint32_t prog_id, struct attachment *a)
{
	int found = 0;

	for (int i = 0; i < e->cnt && !found; i++)
		if (e->list[i].of == prog_id)
			found = is_ours(e->list[i].prog_id, a);
	return found;
}

/* Looks for our program in the one that an interface runs in some mode. Returns what attach_find()
 * does.
 */
static int look_into(int ifindex, uint32_t prog_id, const struct extensions *e, struct attachment *a)
{
	int is_pinned = dispatch_follow(ifindex, prog_id), found;

	if (is_pinned < 0)
		return is_pinned;
	a->dispatcher = false;
	found = is_ours(prog_id, a);
	if (!found) {
		a->dispatcher = true;
		found = is_extended_by_ours(e, prog_id, a);
	}
	if (found)
		return found;
	a->id.prog_id = prog_id;
	return is_pinned ? 0 : -EBUSY;
}

/* A dispatcher may have several programs of ours: during an exchange, two of one filter. Puts the
 * others behind *out. Returns how many there are in all.
 */
static int look_for_more(const struct extensions *e, uint32_t dispatcher_id, struct look *out)
{
	int cnt = 1;

	for (int i = 0; i < e->cnt; i++) {
		struct look more = *out;

		if (e->list[i].of != dispatcher_id || e->list[i].prog_id == out->a.id.prog_id)
			continue;
		more.found = is_ours(e->list[i].prog_id, &more.a);
		if (more.found)
			out[cnt++] = more;
	}
	return cnt;
}

/* With the others in the dispatcher: each has those that are not ours beside it. */
static int look_at_dispatcher(const struct extensions *e, uint32_t dispatcher_id, struct look *out)
{
	int ours = look_for_more(e, dispatcher_id, out), all = 0;

	for (int i = 0; i < e->cnt; i++)
		all += e->list[i].of == dispatcher_id;
	for (int i = 0; i < ours; i++)
		out[i].a.shared = all > ours;
	return ours;
}

/* Returns how many have been put at *out: one, unless there are several of ours. */
static int look_at_iface(const struct link *l, const struct extensions *e, struct look *out)
{
	uint32_t id = 0;

	*out = (struct look){ .a.ifindex = (int)l->index };
	memcpy(out->a.ifname, l->name, sizeof(out->a.ifname));
	for (size_t i = 0; i < LINK_MODES_CNT && (!out->found || out->found == -EBUSY); i++) {
		if (!l->xdp_ids[LINK_MODES[i].xdp])
			continue;
		id = l->xdp_ids[LINK_MODES[i].xdp];
		out->a.mode = LINK_MODES[i].mode;
		out->found = look_into(out->a.ifindex, id, e, &out->a) ?: out->found;
	}
	return out->found == 1 && out->a.dispatcher ? look_at_dispatcher(e, id, out) : 1;
}

/* Room for all interfaces and extensions. NULL: there is none, and the list is freed. */
static struct look *grow_looks(struct look *list, const struct links *links,
			       const struct extensions *e)
{
	struct look *more = realloc(list, (links->cnt + e->cnt + 1) * sizeof(*list));

	if (!more)
		free(list);
	return more;
}

/* Looks at all interfaces that run a program, or at this one alone. Returns how many are in *out,
 * which the caller frees; or -errno.
 */
static int look_at_all(const struct links *links, int ifindex, struct look **out)
{
	struct look *list = calloc(links->cnt + 1, sizeof(*list));
	struct extensions e = { 0 };
	int added, cnt = 0, ext_err = 1; /* not read yet: mostly nothing runs anywhere */

	if (!list)
		return -ENOMEM;
	for (int i = 0; i < links->cnt; i++) {
		const struct link *l = &links->list[i];

		if (!link_has_xdp(l) || (ifindex && (int)l->index != ifindex))
			continue;
		if (ext_err > 0) {
			ext_err = extensions_read(&e);
			list = grow_looks(list, links, &e);
			if (!list) {
				extensions_free(&e);
				return -ENOMEM;
			}
		}
		added = look_at_iface(l, &e, &list[cnt]);
		/* Ours may be among those that could not be listed. */
		if (ext_err && (!list[cnt].found || list[cnt].found == -EBUSY))
			list[cnt].found = ext_err;
		cnt += added;
	}
	extensions_free(&e);
	*out = list;
	return cnt;
}

/* Where our program was not found, or what was found has gone: does the interface run now what it
 * ran then? If not, the dispatcher may have been replaced by one that has ours too. 1 or 0; -errno.
 */
static int is_settled(const struct links *then, const struct look *list, int cnt)
{
	struct links now = { 0 };
	int settled = 1, err = 0;

	for (int i = 0; list && i < cnt && settled && !err; i++) {
		const struct link *a = links_find(then, list[i].a.ifindex), *b;

		if (list[i].found == 1)
			continue;
		if (!now.cnt)
			err = links_read(&now);
		b = links_find(&now, list[i].a.ifindex);
		settled = b && !memcmp(a->xdp_ids, b->xdp_ids, sizeof(a->xdp_ids));
	}
	links_free(&now);
	return err ?: settled;
}

/* look_at_all() of the interfaces that there are now, which are in *links then. */
static int look_at_current(int ifindex, struct links *links, struct look **out)
{
	int cnt = 0, settled = 0;

	*out = NULL;
	for (int i = 0; i < LOOKS_MAX && !settled; i++) {
		free(*out);
		*out = NULL;
		links_free(links);
		cnt = links_read(links) ?: look_at_all(links, ifindex, out);
		settled = cnt < 0 ? cnt : is_settled(links, *out, cnt);
	}
	if (settled > 0)
		return cnt;
	free(*out);
	*out = NULL;
	links_free(links);
	return settled ?: -EAGAIN;
}

int attach_find(int ifindex, struct attachment *a)
{
	struct links links = { 0 };
	struct look *list = NULL;
	int found = ifindex > 0 ? look_at_current(ifindex, &links, &list) : 0;

	*a = (struct attachment){ 0 };
	if (list && found > 0) {
		*a = list->a;
		found = list->found;
	}
	free(list);
	links_free(&links);
	return found;
}

int attach_view_read(struct attach_view *v)
{
	struct look *list;
	int cnt;

	*v = (struct attach_view){ 0 };
	cnt = look_at_current(0, &v->links, &list);
	if (cnt >= 0)
		v->list = calloc(cnt + 1, sizeof(*v->list));
	if (cnt >= 0 && !v->list)
		cnt = -ENOMEM;
	for (int i = 0; list && i < cnt; i++) {
		if (!list[i].found || list[i].found == -EBUSY)
			continue;
		v->list[v->cnt] = list[i].a;
		v->list[v->cnt++].err = list[i].found < 0 ? list[i].found : 0;
	}
	free(list);
	if (cnt >= 0)
		return 0;
	attach_view_free(v);
	return diag_err(cnt, "cannot list the interfaces: %s", strerror(-cnt));
}

void attach_view_free(struct attach_view *v)
{
	links_free(&v->links);
	free(v->list);
	*v = (struct attach_view){ 0 };
}

int attach_list(struct attachment **out, int *cnt)
{
	struct attach_view v;
	int err = attach_view_read(&v);

	if (err)
		return err;
	*out = v.list;
	*cnt = v.cnt;
	links_free(&v.links);
	return 0;
}

/* Does the dispatcher have our program, and no other? 1 or 0; -errno. */
static int is_alone_in(uint32_t dispatcher_id, uint32_t prog_id)
{
	struct extensions e;
	int err = extensions_read(&e), ours = 0, others = 0;

	for (int i = 0; i < e.cnt; i++) {
		ours += e.list[i].of == dispatcher_id && e.list[i].prog_id == prog_id;
		others += e.list[i].of == dispatcher_id && e.list[i].prog_id != prog_id;
	}
	extensions_free(&e);
	return err ?: ours && !others;
}

int attach_caller(const struct attachment *a, uint32_t *ret_prog_id)
{
	struct links links;
	int found = links_read(&links);
	const struct link *l = found ? NULL : links_find(&links, a->ifindex);

	for (size_t i = 0; i < LINK_MODES_CNT && l; i++) {
		uint32_t id = l->xdp_ids[LINK_MODES[i].xdp];

		if (!id || LINK_MODES[i].mode != a->mode)
			continue;
		found = id == a->id.prog_id ? 1 : is_alone_in(id, a->id.prog_id);
		if (found > 0)
			*ret_prog_id = id;
	}
	links_free(&links);
	return found;
}

/* The name of the program, as the kernel has it; "" if it has gone. 0 or -errno. */
static int name_of(uint32_t prog_id, struct bpf_prog_info *info)
{
	int fd = bpf_prog_get_fd_by_id(prog_id), err;

	*info = (struct bpf_prog_info){ 0 };
	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	err = kernel_info(fd, info, sizeof(*info));
	close(fd);
	return err;
}

int attach_neighbours(int ifindex, char *names, size_t size)
{
	struct links links = { 0 };
	struct extensions e = { 0 };
	int err = links_read(&links);
	const struct link *l = links_find(&links, ifindex);
	size_t len = 0;

	*names = 0;
	if (!err && l && link_has_xdp(l))
		err = extensions_read(&e);
	for (int i = 0; i < e.cnt && !err && len < size; i++) {
		struct bpf_prog_info info;

		if (!link_runs_xdp(l, e.list[i].of))
			continue;
		err = name_of(e.list[i].prog_id, &info);
		len += snprintf(names + len, size - len, "%s%s", len ? ", " : "", info.name);
	}
	extensions_free(&e);
	links_free(&links);
	return err;
}
