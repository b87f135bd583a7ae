// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* bench: what a packet costs on this machine. */
#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "bench.h"
#include "kernel.h"
#include "verbs.h"
#include "version.h"

/* The model as /proc/cpuinfo has it; "?" if it does not. */
static const char *cpu_model(char *buf, size_t size)
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

static bool has_peer_ratio(enum bench_row row)
{
	return row > BENCH_SHIPPED;
}

#define ADD(o, key, value) json_object_object_add(o, key, value)

static json_object *json_double(double value)
{
	return isfinite(value) ? json_object_new_double(value) : NULL;
}

static void add_figure(json_object *o, const char *key, struct bench_figure f)
{
	json_object *figure = json_object_new_object();

	ADD(figure, "median", json_double(f.median));
	ADD(figure, "low", json_double(f.low));
	ADD(figure, "high", json_double(f.high));
	ADD(o, key, figure);
}

static json_object *traffic_json(const struct bench_result *r, enum bench_row row,
				 enum bench_traffic traffic)
{
	json_object *o = json_object_new_object();

	add_figure(o, "ns", bench_ns(r, 1, row, traffic));
	add_figure(o, "added_ns", bench_added(r, row, traffic));
	add_figure(o, "of_floor", bench_ratio(r, row, BENCH_FLOOR, traffic));
	add_figure(o, "of_one_line", bench_ratio(r, row, BENCH_LINE, traffic));
	if (has_peer_ratio(row))
		add_figure(o, "xdp_dedup_added_of_this", bench_shipped_part(r, row, traffic));
	if (r->cpus == 2) {
		add_figure(o, "ns_two_cpus", bench_ns(r, 2, row, traffic));
		add_figure(o, "scaling", bench_scaling(r, row, traffic));
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
		if (r->there[row])
			ADD(rows, bench_row_key(row), row_json(r, row));
	ADD(o, "rows", rows);
	if (r->cpus == 2)
		ADD(o, "two_cpus_apart", json_object_new_int(bench_apart(r)));
	return o;
}

static json_object *head_json(const struct options *o)
{
	json_object *head = json_object_new_object();
	struct utsname un;
	char cpu[256];

	uname(&un);
	ADD(head, "version", json_object_new_string(XDP_DEDUP_VERSION));
	ADD(head, "cpu", json_object_new_string(cpu_model(cpu, sizeof(cpu))));
	ADD(head, "kernel", json_object_new_string(un.release));
	ADD(head, "fpr", json_double(o->spec.fpr));
	ADD(head, "fill", json_double(o->fill));
	ADD(head, "rounds", json_object_new_uint64(o->rounds));
	if (o->warm != BENCH_WARM_AUTO)
		ADD(head, "warm", json_object_new_uint64(o->warm));
	ADD(head, "sizes", json_object_new_array());
	return head;
}

static void print_ratio(double value, const char *format)
{
	char text[32] = "";

	if (isfinite(value))
		snprintf(text, sizeof(text), format, value);
	printf(" %9s", text);
}

static void print_row(const struct bench_result *r, enum bench_row row, enum bench_traffic traffic)
{
	struct bench_figure ns = bench_ns(r, 1, row, traffic);
	double none = NAN;
	bool peer = has_peer_ratio(row);

	printf("  %-18s %7.1f  %6.1f - %-6.1f", bench_row_name(row), ns.median, ns.low, ns.high);
	print_ratio(row ? bench_added(r, row, traffic).median : none, "%.1f");
	print_ratio(row ? bench_ratio(r, row, BENCH_FLOOR, traffic).median : none, "%.2f");
	print_ratio(row ? bench_ratio(r, row, BENCH_LINE, traffic).median : none, "%.2f");
	print_ratio(peer ? bench_shipped_part(r, row, traffic).median : none, "%.2f");
	print_ratio(r->cpus == 2 ? bench_scaling(r, row, traffic).median : none, "%.2f");
	print_ratio(r->bytes_an_id[row] > 0 ? r->bytes_an_id[row] : none, "%.2f");
	putchar('\n');
}

static void print_result(const struct bench_result *r)
{
	int apart = bench_apart(r);

	printf("\n%" PRIu64 " ids in the window; p %g; %d rounds", r->setting.ids, r->setting.fpr,
	       r->setting.rounds);
	if (r->capacity != r->setting.ids)
		printf("; capacity %" PRIu64, r->capacity);
	printf(". xdp-dedup: k %u", r->hashes[BENCH_SHIPPED]);
	if (r->there[BENCH_FLAT])
		printf("; flat: k %u", r->hashes[BENCH_FLAT]);
	if (r->there[BENCH_BLOOM])
		printf("; bloom map: k %u, p %.2g", r->hashes[BENCH_BLOOM], r->fpr[BENCH_BLOOM]);
	putchar('\n');
	for (int traffic = 0; traffic < BENCH_TRAFFICS_CNT; traffic++) {
		printf("%-20s      ns     quartiles       added   / floor    / line  our part"
		       "  two CPUs  bytes/id\n",
		       bench_traffic_name(traffic));
		for (int row = 0; row < BENCH_ROWS_CNT; row++)
			if (r->there[row])
				print_row(r, row, traffic);
	}
	if (apart)
		printf("Two CPUs: %d measurements are left out, as the two did not run at once; "
		       "is this\nmachine busy?\n",
		       apart);
	fflush(stdout);
}

static void print_head(void)
{
	struct utsname un;
	char cpu[256];

	uname(&un);
	printf("xdp-dedup %s on %s, Linux %s\n"
	       "ns a packet, medians. added: over parse and drop; / floor, / line: as multiples "
	       "of\n"
	       "the first two rows; our part: what xdp-dedup adds, as a part of what this row "
	       "adds;\n"
	       "two CPUs: packets of both at once on different ids, as a multiple of one's.\n"
	       "90 %% duplicates: of any ids in the window, the rest is new; gossip: of the last "
	       "1,000\nnew ones; cold: all of any ids; hot: all of the same 64.\n",
	       XDP_DEDUP_VERSION, cpu_model(cpu, sizeof(cpu)), un.release);
}

static int run_sizes(const struct options *o, json_object *sizes)
{
	struct bench_result *r = malloc(sizeof(*r));
	int err = r ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < o->ids_cnt && !err; i++) {
		const struct bench_setting setting = {
			.ids = o->ids[i],
			.fill = o->fill,
			.fpr = o->spec.fpr,
			.rounds = o->rounds,
			.warm = o->warm,
		};

		err = bench_run(&setting, r);
		if (err == -ENOMEM) { /* said: this one is left out */
			err = 0;
			continue;
		}
		if (err)
			break;
		if (sizes)
			json_object_array_add(sizes, result_json(r));
		else
			print_result(r);
	}
	free(r);
	return err;
}

static int run_race(const struct options *o, json_object *head)
{
	struct bench_race t;
	int err = bench_race(o->copies, o->spec.fpr, &t);
	json_object *race;

	if (err)
		return err == -ENODEV ? 0 : err;
	if (!head) {
		printf("\n%" PRIu64 " fresh ids, each on two CPUs at the same instant: %" PRIu64
		       " passed twice, %" PRIu64 " not at all (false positives)",
		       t.ids, t.twice, t.never);
		if (t.apart)
			printf("; %" PRIu64 " came apart", t.apart);
		putchar('\n');
		return 0;
	}
	race = json_object_new_object();
	ADD(race, "ids", json_object_new_uint64(t.ids));
	ADD(race, "passed_twice", json_object_new_uint64(t.twice));
	ADD(race, "passed_never", json_object_new_uint64(t.never));
	ADD(race, "apart", json_object_new_uint64(t.apart));
	ADD(head, "simultaneous", race);
	return 0;
}

int verb_bench(const struct options *o)
{
	json_object *head = NULL;
	int err;

	kernel_output(o->verbose);
	if (o->json)
		head = head_json(o);
	else
		print_head();
	err = run_sizes(o, head ? json_object_object_get(head, "sizes") : NULL);
	if (!err)
		err = run_race(o, head);
	if (!err && head)
		puts(json_object_to_json_string_ext(head, JSON_C_TO_STRING_PRETTY |
								  JSON_C_TO_STRING_SPACED));
	json_object_put(head);
	return err ? EXIT_FAILED : EXIT_DONE;
}
