// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* watch without a terminal: lines of text or JSON. */
#include <stdio.h>
#include <time.h>

#include "clock.h"
#include "config_streams.h"
#include "facts.h"
#include "json_out.h"
#include "status_view.h"
#include "units.h"
#include "watch_view.h"

double watched_window(const struct watched *f)
{
	return (double)monitor_window_ns(f) / f->status.filter.config->memory.window_ns;
}

void watch_lines_head(bool names)
{
	if (names)
		printf("%-16s ", "filter");
	printf("%9s %9s %9s %6s %6s %9s %9s %6s %7s\n", "packets/s", "new/s", "dup/s", "dup%",
	       "copies", "drops/s", "dropsB/s", "fill%", "window%");
}

void watch_line(const struct watched *f, bool names)
{
	const struct watch_rates *r = &f->watch.all;

	if (names)
		printf("%-16s ", f->name);
	printf("%9s %9s %9s %6.1f %6.1f %9s %9s ", FORMAT_ABOUT(r->packets), FORMAT_ABOUT(r->fresh),
	       FORMAT_ABOUT(r->duplicates), 100 * r->share, r->copies, FORMAT_ABOUT(r->dropped),
	       FORMAT_ABOUT(r->dropped_bytes));
	if (streams_any_hashed(f->status.filter.config))
		printf("%6.1f %7.0f\n", 100 * status_mean_fill(&f->status), 100 * watched_window(f));
	else
		printf("%6s %7s\n", "-", "-");
	watch_sender_lines(f);
}

static json_object *with_rates(json_object *o, const struct watch_rates *r)
{
#define X(rate, key, help) ADD(#key, json_double(r->rate));
	WATCH_RATES(X)
#undef X
	if (!(r->copies > 0))
		ADD("copies", NULL);
	return o;
}

static json_object *json_stream_rates(const struct watched *r, uint32_t n)
{
	const struct dedup_config *c = r->status.filter.config;

	return with_rates(JSON_OBJECT(WATCH_STREAM_FACTS(ADD_FACT)), &r->watch.streams[n]);
}

static json_object *json_iface_rate(const struct watched *r, uint32_t n)
{
	json_object *o = iface_json(&r->status.ifaces[n]);

	WATCH_IFACE_FACTS(ADD_FACT)
	return o;
}

/* Makes a list of the CPUs that have had packets. */
static json_object *json_cpus(const struct watched *r)
{
	json_object *list = json_object_new_array();

	for (int cpu = 0; cpu < r->watch.last.cpus_cnt && r->watch.cpus; cpu++)
		if (r->watch.last.cpus[cpu].rx)
			json_object_array_add(list, with_rates(JSON_OBJECT(WATCH_CPU_FACTS(ADD_FACT)),
							       &r->watch.cpus[cpu]));
	return list;
}

void watch_json(const struct watched *r)
{
	const struct status *s = &r->status;
	const struct dedup_config *c = s->filter.config;
	json_object *o = json_object_new_object();

	WATCH_FACTS(ADD_FACT)
	with_rates(o, &r->watch.all);
	WATCHED_FACTS(ADD_FACT, ADD_GAUGE, NO_FACT)
	json_print_line(stdout, o);
}
