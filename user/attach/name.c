// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "attachments.h"
#include "diag.h"
#include "dirs.h"
#include "iface_link.h"
#include "open.h"
#include "pins.h"
#include "start.h"

void name_default(const char *ifname, char name[NAME_MAX_LEN + 1])
{
	snprintf(name, NAME_MAX_LEN + 1, "%s", ifname);
	for (char *c = name; *c; c++)
		if (!filter_name_ok((char[]){ *c, 0 }))
			*c = '_';
	if (!filter_new_name_ok(name))
		name[0] = '_';
	if (strcmp(name, ifname))
		diag_note("the filter is called %s: pins cannot have %s's name", name, ifname);
}

int name_is_in_use(const char *name)
{
	struct iface_link list[DEDUP_IFACES_MAX];
	int cnt = iface_links_read(name, list), in_use = 0, err;
	struct attachments a = { .cnt = 0 };
	struct filter f;

	for (int i = 0; i < cnt; i++)
		in_use |= list[i].ifindex != 0;
	if (cnt < 0 || in_use)
		return cnt < 0 ? cnt : in_use;
	err = filter_open_without_blocks(name, &f);
	if (err)
		return err == -ENOENT || err == -EPROTO ? 0 : err;
	cnt = attachments_read(&f, NULL, &a);
	for (int i = 0; i < a.cnt; i++)
		in_use |= a.list[i].ifindex || a.list[i].unknown;
	filter_close(&f);
	return cnt ?: in_use;
}

/* Returns 0 if the filter has no pins; 1 if it has pins that nothing uses; or -errno (logged):
 * -EEXIST if the filter is in use.
 */
static int find_pins(const char *name)
{
	int in_use = path_exists(PIN_PATH(name, NULL));

	if (!in_use)
		return 0;
	if (in_use > 0)
		in_use = name_is_in_use(name);
	if (in_use < 0)
		return diag_err(in_use,
				"cannot tell whether the filter %s is in use: %s" ADVICE
				"--name gives another name",
				name, strerror(-in_use));
	if (!in_use)
		return 1;
	return diag_err(-EEXIST,
			"the filter %s is loaded already" ADVICE
			"xdp-dedup set, resize or load --replace change it; --name gives another name",
			name);
}

int name_claim(const char *name)
{
	int found = find_pins(name);

	if (found <= 0)
		return found;
	diag_note("removing what an earlier load left of %s: nothing is attached to it", name);
	return filter_stop(name);
}

int name_check(const char *name)
{
	int found = find_pins(name);

	if (found > 0)
		diag_note("there are pins of a filter %s that runs nowhere: load removes them", name);
	return found < 0 ? found : 0;
}
