// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "extensions.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "kernel.h"

/* Is this link an extension's? Returns 1 and fills in *out; 0; or -errno. Links of tracing
 * programs have this type, too, but another attach type.
 */
static int read_link(uint32_t id, struct extension *out)
{
	struct bpf_link_info info = { 0 };
	int fd = bpf_link_get_fd_by_id(id), err;

	/* Gone since it was listed; or not made yet, and then its dispatcher is not attached yet. */
	if (fd < 0)
		return errno == ENOENT || errno == EAGAIN ? 0 : -errno;
	err = kernel_info(fd, &info, sizeof(info));
	close(fd);
	if (err || info.type != BPF_LINK_TYPE_TRACING || info.tracing.attach_type)
		return err;
	*out = (struct extension){ info.prog_id, info.tracing.target_obj_id };
	return 1;
}

static int add(struct extensions *e, uint32_t id)
{
	struct extension *more = reallocarray(e->list, e->cnt + 1, sizeof(*more));
	int found;

	if (!more)
		return -ENOMEM;
	e->list = more;
	found = read_link(id, &e->list[e->cnt]);
	e->cnt += found > 0;
	return found < 0 ? found : 0;
}

int extensions_read(struct extensions *out)
{
	__u32 id = 0;
	int err = 0;

	*out = (struct extensions){ 0 };
	while (!err && !bpf_link_get_next_id(id, &id))
		err = add(out, id);
	if (!err && errno != ENOENT)
		err = -errno;
	if (err)
		extensions_free(out);
	return err;
}

void extensions_free(struct extensions *e)
{
	free(e->list);
	*e = (struct extensions){ 0 };
}
