// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* watch without a terminal: for people's scripts, and for programs. */
#include <stdio.h>
#include <time.h>

#include "clock.h"
#include "config_streams.h"
#include "json_out.h"
#include "status_view.h"
#include "units.h"
#include "watch_view.h"

double watched_window(const struct watched *f)
{
	return (double)monitor_window_ns(f) / f->status.filter.config->memory.window_ns;
}

double watched_fill(const struct watched *f)
{
	const struct fill *fill = &f->status.fill;

	return f->status.layout->has_generations ? (fill->current + fill->previous) / 2
						 : fill->current;
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
		printf("%6.1f %7.0f\n", 100 * watched_fill(f), 100 * watched_window(f));
	else
		printf("%6s %7s\n", "-", "-");
	watch_sender_lines(f);
}

static void add_rates(json_object *o, const struct watch_rates *r)
{
	ADD("packets_per_s", json_double(r->packets));
	ADD("new_per_s", json_double(r->fresh));
	ADD("duplicates_per_s", json_double(r->duplicates));
	ADD("duplicate_bytes_per_s", json_double(r->duplicate_bytes));
	ADD("duplicate_share", json_double(r->share));
	ADD("copies", r->copies > 0 ? json_double(r->copies) : NULL);
	ADD("dropped_per_s", json_double(r->dropped));
	ADD("dropped_bytes_per_s", json_double(r->dropped_bytes));
	ADD("delivered_per_s", json_double(r->delivered));
	ADD("undelivered_per_s", json_double(r->undelivered));
}

static json_object *json_stream_rates(const struct watched *f)
{
	json_object *list = json_object_new_array();

	for (int i = 0; i < f->watch.last.streams_cnt; i++) {
		json_object *o = json_object_new_object();

		ADD("name", json_text(f->status.filter.config->policy.streams[i].name));
		add_rates(o, &f->watch.streams[i]);
		json_object_array_add(list, o);
	}
	return list;
}

static json_object *json_iface_rates(const struct watched *f)
{
	json_object *list = json_object_new_array();

	for (int i = 0; i < f->status.ifaces_cnt; i++) {
		json_object *o = iface_json(&f->status.ifaces[i]);

		ADD("kernel_rx_packets_per_s",
		    f->watch.ifaces[i] >= 0 ? json_double(f->watch.ifaces[i]) : NULL);
		json_object_array_add(list, o);
	}
	return list;
}

/* Those that have had packets. */
static json_object *json_cpus(const struct watched *f)
{
	json_object *list = json_object_new_array();

	for (int i = 0; i < f->watch.last.cpus_cnt && f->watch.cpus; i++) {
		json_object *o;

		if (!f->watch.last.cpus[i].rx)
			continue;
		o = json_object_new_object();
		ADD("cpu", json_object_new_int(i));
		add_rates(o, &f->watch.cpus[i]);
		json_object_array_add(list, o);
	}
	return list;
}

void watch_json(const struct watched *f)
{
	json_object *o = json_object_new_object();

	ADD("time_ns", json_u64(clock_ns(CLOCK_REALTIME)));
	ADD("name", json_text(f->name));
	ADD("seconds", json_double(f->watch.seconds));
	ADD("action", json_text(status_drops(&f->status) ? "drop" : "count"));
	add_rates(o, &f->watch.all);
	ADD("bytes_kept_away", json_u64(f->status.counters.dropped_bytes));
	ADD("fill", json_double(watched_fill(f)));
	ADD("ids_estimate", json_double(f->status.fill.ids));
	ADD("fpr_estimate", json_double(f->status.fpr));
	ADD("window_ns", json_u64(f->status.filter.config->memory.window_ns));
	ADD("remembered_ns", json_u64(monitor_window_ns(f)));
	ADD("stopped", json_bool(f->status.stopped));
	ADD("interfaces", json_iface_rates(f));
	ADD("streams", json_stream_rates(f));
	ADD("cpus", json_cpus(f));
	ADD("senders", watch_senders_json(f));
	ADD("advice", advice_json(f->advice, f->advice_cnt));
	json_print_line(stdout, o);
}
