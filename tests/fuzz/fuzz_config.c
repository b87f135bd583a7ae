// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The service's file: any text. What is wrong is reported once, with a line that the file has; what
 * is right describes filters that can be planned.
 */
#include "fuzz.h"

#include <unistd.h>

#include "config_file.h"
#include "diag.h"
#include "pins.h"
#include "plan.h"

#define PATH "/f"

static char error[1024]; /* the last one */
static int errors_cnt;

static void keep(void *to, const struct diag *d)
{
	(void)to;
	must(*d->finding);
	if (d->kind != DIAG_ERR)
		return;
	diag_text(d, error, sizeof(error));
	errors_cnt++;
}

static void check_filter(const struct config_filter *f)
{
	struct dedup_config plan;

	must(filter_new_name_ok(f->name));
	must(f->wish.name == f->name);
	must(f->wish.where.cnt >= 1 && f->wish.where.cnt <= DEDUP_IFACES_MAX);
	must(f->wish.spec.streams_cnt);
	must(!f->wish.spec.drop_ns);
	must(!plan_silently(&f->wish.spec, &plan));
}

static void check_place(const char *text, size_t size)
{
	unsigned int line = 0, lines = 1;

	for (size_t i = 0; i < size; i++)
		lines += text[i] == '\n';
	must(errors_cnt == 1);
	must(sscanf(error, PATH ":%u: ", &line) == 1);
	must(line >= 1 && line <= lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = text_of(data, size);
	struct diag_receiver receiver = { .take = keep };
	struct config_file c;
	FILE *from;
	int err;

	if (!size || strstr(text, "profiles")) { /* which reads files */
		free(text);
		return 0;
	}
	from = fmemopen(text, size, "r");
	must(from);
	errors_cnt = 0;
	diag_receive(&receiver);
	err = config_read_from(from, PATH, &c);
	diag_receive_end(&receiver);
	if (err) {
		check_place(text, size);
		must(!c.filters && !c.cnt && !c.values.texts);
	} else {
		for (int i = 0; i < c.cnt; i++)
			check_filter(&c.filters[i]);
		config_free(&c);
	}
	fclose(from);
	free(text);
	return 0;
}
