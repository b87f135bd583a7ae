// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opens filters by their names, or by interfaces on which they run or ran. */
#include "attachments.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "open.h"
#include "stream_ids.h"

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

/* Is it the filter that is looked for, by its state map, or, if state_id is 0, by the interface in
 * its record? Returns 1 or 0; -errno (logged).
 */
static int is_filter(const struct filter *f, uint32_t state_id, const char *ifname)
{
	int is;

	if (!state_id)
		return attachments_recorded(f, ifname) != NULL;
	if (f->state_id == state_id)
		return 1;
	is = attachments_has_state(f->name, state_id);
	return is < 0 ? loader_explain(f->name, is) : is;
}

/* Logs why this filter cannot be read (-EPROTO), and returns -EPROTO, if it is the one that is
 * looked for, by its state map. Returns 0 if it is not; another -errno (logged) if that is unknown.
 */
static int explain_unreadable(const char *name, uint32_t state_id)
{
	int has = state_id ? attachments_has_state(name, state_id) : 0;

	return has ? loader_explain(name, has < 0 ? has : -EPROTO) : 0;
}

/* Opens the one of these filters that has this state map (attachments_has_state()); or, if state_id
 * is 0, does attachments_open_recorded().
 */
static int find_filter(char **names, uint32_t state_id, const char *ifname, struct filter *out)
{
	bool found = false;
	struct filter f;
	int err = 0;

	for (char **n = names; !err && *n; n++) {
		int is = filter_open(*n, &f);

		if (is == -EPROTO)
			err = explain_unreadable(*n, state_id);
		if (is == -EPROTO || is == -ENOENT)
			continue;
		if (is) {
			err = loader_explain(*n, is);
			break;
		}
		is = is_filter(&f, state_id, ifname);
		if (is > 0 && !found) {
			*out = f;
			found = true;
			continue;
		}
		if (is > 0)
			err = diag_err(-ENOTUNIQ,
				       "%s runs no filter now, and did run %s and %s" ADVICE
				       "say which by its own name",
				       ifname, out->name, f.name);
		else
			err = is;
		filter_close(&f);
	}
	if (err && found)
		filter_close(out);
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
	char **names = NULL;
	int err = find_attachment(ifname, a)
		  ?: loader_names(&names)
		  ?: find_filter(names, a->ifindex ? a->id.state_id : 0, ifname, f);

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

/* Does the interface still run the filter of *a? Returns 1 or 0; -errno (logged). */
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
