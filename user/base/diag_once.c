// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "diag_once.h"

#include <string.h>

static void keep_first(void *to, const struct diag *d)
{
	struct diag_once *o = to;

	if (!*o->found)
		diag_text(d, o->found, sizeof(o->found));
}

void diag_once_begin(struct diag_once *o)
{
	o->found[0] = '\0';
	o->receiver = (struct diag_receiver){ .take = keep_first, .to = o };
	diag_receive(&o->receiver);
}

void diag_once_end(struct diag_once *o, const char *about)
{
	diag_receive_end(&o->receiver);
	if (*o->found && strcmp(o->found, o->logged))
		diag_err(0, "%s: %s", about, o->found);
	memcpy(o->logged, o->found, sizeof(o->logged));
}
