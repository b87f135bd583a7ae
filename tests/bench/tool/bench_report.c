// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "bench_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

const char *bench_cpu_model(char *buf, size_t size)
{
	FILE *f = fopen("/proc/cpuinfo", "re");
	char line[256], *value;

	snprintf(buf, size, "?");
	while (f && fgets(line, sizeof(line), f)) {
		value = strchr(line, ':');
		if (!value || strncmp(line, "model name", 10))
			continue;
		value[strcspn(value, "\n")] = '\0';
		snprintf(buf, size, "%s", value + 2);
		break;
	}
	if (f)
		fclose(f);
	return buf;
}

bool bench_is_peer(enum bench_row row)
{
	return row > BENCH_SHIPPED;
}

/* Returns -EIO, which ends the bench, if the output cannot be written; check_output() logs that. */
static int flush(void)
{
	return fflush(stdout) ? -EIO : 0;
}

static int report_sizes(const struct bench_options *o, const struct bench_report *report)
{
	struct bench_result *r = malloc(sizeof(*r));
	int err = r ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < o->ids_cnt && !err; i++) {
		struct bench_setting setting = o->setting;

		setting.ids = o->ids[i];
		err = bench_run(&setting, r);
		if (err == -ENOMEM) { /* logged; continues with the next number of ids */
			err = 0;
			continue;
		}
		diag_progress_end();
		if (err)
			break;
		report->size(r);
		err = flush();
	}
	free(r);
	return err;
}

static int report_race(const struct bench_options *o, const struct bench_report *report)
{
	struct bench_race race;
	int err = bench_race(o->copies, o->setting.fpr, &race);

	diag_progress_end();
	if (err && err != -ENODEV)
		return err;
	report->end(err ? NULL : &race);
	return flush();
}

int bench_report(const struct bench_options *o)
{
	const struct bench_report *report = o->json ? &BENCH_JSON : &BENCH_TEXT;

	report->begin(o);
	return flush() ?: report_sizes(o, report) ?: report_race(o, report);
}
