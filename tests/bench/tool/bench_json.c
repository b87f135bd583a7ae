// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The report for programs: one object, printed at the end. */
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "bench_report.h"
#include "version.h"

#define ADD(o, key, value) json_object_object_add(o, key, value)

static json_object *json_double(double value)
{
	return isfinite(value) ? json_object_new_double(value) : NULL;
}

static json_object *figure_json(const struct bench_result *r, enum bench_measure what,
				enum bench_row row, enum bench_traffic traffic)
{
	struct bench_figure f = bench_figure(r, what, row, traffic);
	json_object *figure = json_object_new_object();

	ADD(figure, "median", json_double(f.median));
	ADD(figure, "low", json_double(f.low));
	ADD(figure, "high", json_double(f.high));
	return figure;
}

static json_object *traffic_json(const struct bench_result *r, enum bench_row row,
				 enum bench_traffic traffic)
{
	json_object *o = json_object_new_object();

	ADD(o, "ns", figure_json(r, BENCH_NS, row, traffic));
	ADD(o, "added_ns", figure_json(r, BENCH_ADDED, row, traffic));
	ADD(o, "of_floor", figure_json(r, BENCH_OF_FLOOR, row, traffic));
	ADD(o, "of_one_line", figure_json(r, BENCH_OF_LINE, row, traffic));
	if (bench_is_peer(row))
		ADD(o, "xdp_dedup_added_of_this", figure_json(r, BENCH_SHIPPED_PART, row, traffic));
	if (r->cpus == 2) {
		ADD(o, "ns_two_cpus", figure_json(r, BENCH_NS_TWO_CPUS, row, traffic));
		ADD(o, "scaling", figure_json(r, BENCH_SCALING, row, traffic));
	}
	return o;
}

static json_object *row_json(const struct bench_result *r, enum bench_row row)
{
	json_object *o = json_object_new_object();

	if (r->bytes_an_id[row] > 0)
		ADD(o, "bytes_per_id", json_double(r->bytes_an_id[row]));
	if (r->hashes[row]) {
		ADD(o, "hashes", json_object_new_uint64(r->hashes[row]));
		ADD(o, "fpr_expected", json_double(r->fpr[row]));
	}
	for (int traffic = 0; traffic < BENCH_TRAFFICS_CNT; traffic++)
		ADD(o, bench_traffic_key(traffic), traffic_json(r, row, traffic));
	return o;
}

static json_object *result_json(const struct bench_result *r)
{
	json_object *o = json_object_new_object(), *rows = json_object_new_object();

	ADD(o, "ids", json_object_new_uint64(r->setting.ids));
	ADD(o, "capacity", json_object_new_uint64(r->capacity));
	for (int row = 0; row < BENCH_ROWS_CNT; row++)
		if (r->measured[row])
			ADD(rows, bench_row_key(row), row_json(r, row));
	ADD(o, "rows", rows);
	if (r->cpus == 2)
		ADD(o, "two_cpus_apart", json_object_new_int(bench_apart(r)));
	return o;
}

static json_object *head_json(const struct bench_options *o)
{
	json_object *head = json_object_new_object();
	struct utsname un;
	char cpu[256];

	uname(&un);
	ADD(head, "version", json_object_new_string(XDP_DEDUP_VERSION));
	ADD(head, "cpu", json_object_new_string(bench_cpu_model(cpu, sizeof(cpu))));
	ADD(head, "kernel", json_object_new_string(un.release));
	ADD(head, "fpr", json_double(o->setting.fpr));
	ADD(head, "fill", json_double(o->setting.fill));
	ADD(head, "rounds", json_object_new_uint64(o->setting.rounds));
	if (o->setting.warm != BENCH_WARM_AUTO)
		ADD(head, "warm", json_object_new_uint64(o->setting.warm));
	return head;
}

static json_object *report, *sizes;

static void begin_json(const struct bench_options *o)
{
	report = head_json(o);
	sizes = json_object_new_array();
	ADD(report, "sizes", sizes);
}

static void add_size(const struct bench_result *r)
{
	json_object_array_add(sizes, result_json(r));
}

static json_object *race_json(const struct bench_race *race)
{
	json_object *o = json_object_new_object();

	ADD(o, "ids", json_object_new_uint64(race->ids));
	ADD(o, "passed_twice", json_object_new_uint64(race->twice));
	ADD(o, "passed_never", json_object_new_uint64(race->never));
	ADD(o, "apart", json_object_new_uint64(race->apart));
	return o;
}

static void print_json(const struct bench_race *race)
{
	if (race)
		ADD(report, "simultaneous", race_json(race));
	puts(json_object_to_json_string_ext(report,
					    JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED));
	json_object_put(report);
}

const struct bench_report BENCH_JSON = { begin_json, add_size, print_json };
