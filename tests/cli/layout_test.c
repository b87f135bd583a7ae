// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Layouts flat and countdown as users of the tool meet them: sizes, what is refused, and
 * filters at work. In commands, ve0 and ve1 are interfaces.
 */
#include "cli_runner.h"
#include "e2e_runner.h"

#include <math.h>

#include "positions.h"
#include "layout.h"

/* What cannot be: exit 1. What does not go together is in plan_test. */
static const struct refusal {
	const char *name; /* options of load and of size */
	const char *says; /* in its one line */
} REFUSALS[] = {
	{ "--layout flat --hash fips --fpr 1e-6",
	  "FIPS' own m = 8192 keeps no --fpr 1e-06, not even for one id a window" },
	{ "--fpr 1e-15 --capacity 1M",
	  "--hash fast does not keep --fpr 1e-15 for 1000000 ids a window: give --fpr 1e-09, or "
	  "--hash siphash" },
	{ "--hash siphash --fpr 1e-15 --capacity 1M",
	  "--hash siphash does not keep --fpr 1e-15 for 1000000 ids a window: give --fpr 1.7e-13" },
	{ "--layout flat --capacity 1G", "lower --capacity or raise --fpr" },
	{ "--layout countdown --capacity 10M", "lower --capacity or raise --fpr" },
	{ "--layout flat --bits 3",
	  "m = 3 and k = 14 lose up to 1 of fresh events, not 0.0001: give more --bits" },
	{ "--layout flat --bits 4294967295 --window 100ms", "--window 100ms is too short" },
	{ "--layout flat --capacity 150M --window 10ms", "--window 10ms is too short" },
};

static void run_refusal(void **state)
{
	static const char *const VERBS[] = { "$XD size", "$XD load lo --port 8001" };
	const struct refusal *row = *state;
	char command[512];

	for (size_t i = 0; i < ARRAY_SIZE(VERBS); i++) {
		snprintf(command, sizeof(command), "%s %s", VERBS[i], row->name);
		assert_run(1, command);
		assert_one_line(row->says);
	}
	assert_run(0, "[ ! -e $PINS ] || [ -z \"$(ls $PINS)\" ]");
}

/* What `size --json` says of one key, and what it says in text. */
static const struct size_row {
	const char *name; /* options */
	const char *key;
	double value;
	const char *text; /* a line, or part of one */
} SIZES[] = {
#define COLIBRI "--layout flat --hash colibri --capacity 1000 --fpr 0.01"
	{ COLIBRI, "m", 9586, "\nm              9586 bits" },
	{ COLIBRI, "k", 7, "\nk              7\n" },
	{ COLIBRI, "m_allocated", 9600, " for 9600\n" },
	{ COLIBRI, "textbook_m", 9586, "layout         flat, colibri hash\n" },
	{ COLIBRI, "textbook_k", 7, " of fresh ids lost at 1000 ids a window" },
	{ "--layout flat --capacity 1000 --fpr 0.01", "textbook_m", 9586,
	  "\ntextbook       m = 9586, k = 7, for one generation alone (--bits 9586 --hashes 7)\n" },
	{ "--layout flat --hash fips --capacity 100", "m", 8192, "m              8192 bits" },
	{ "--layout flat --hash fips --capacity 100", "capacity", 100, " at 100 ids" },
	{ "--layout flat --bits 100 --capacity 2 --fpr 0.1", "m", 100,
	  "m              100 bits, in each of two arrays of 64-bit words for 128\n" },
	{ "--layout flat --bits 128 --capacity 2 --fpr 0.1", "m_allocated", 128, " for 128\n" },
	/* Two arrays, a multiple of a cache line each. */
	{ "--layout flat --bits 513 --capacity 1 --fpr 0.5", "filter_bytes", 256,
	  "\nfilter         256 bytes (256 B)\n" },
	{ "--layout countdown --index-bits 14 --capacity 10", "index_bits", 14,
	  "\nm              16384 cells of 32 bits (--index-bits 14)\n" },
	{ "--layout countdown --index-bits 14 --capacity 10", "filter_bytes", 65536,
	  "65536 bytes (65.5 kB)" },
	{ "--layout countdown --capacity 10", "countdowns", 15, "\ncountdowns     15\n" },
	{ "--layout countdown --capacity 10 --countdown-bits 6", "countdowns", 63,
	  "\ncountdowns     63\n" },
	{ "--layout flat --capacity 1000 --fpr 1e-3", "fpr", 1e-3, "more than 0.001\n" },
	{ "--capacity 64k --fpr 1e-3", "blocks", 5105, "\nblocks         5105 of 64 bytes\n" },
	{ "--capacity 64k --fpr 1e-3", "hashes", 8, "\nk              8 (2 words x 4 bits)\n" },
	/* The program keeps a cache of ids where their hash is dear. */
	{ "--layout flat --hash tezos --bits 512 --capacity 1 --fpr 0.5", "filter_bytes",
	  128 + 64 * 64, "flat, tezos hash\n" },
};

static void run_size(void **state)
{
	const struct size_row *row = *state;
	char command[512];
	json_object *o;

	snprintf(command, sizeof(command), "$XD size %s --json 2>/dev/null", row->name);
	o = json_of(command);
	assert_number(o, row->key, row->value);
	assert_true(number(o, "fpr_expected") > 0);
	assert_true(number(o, "fpr_expected") <= number(o, "fpr"));
	assert_number(o, "bytes_per_id", number(o, "filter_bytes") / number(o, "capacity"));
	json_object_put(o);
	snprintf(command, sizeof(command), "$XD size %s", row->name);
	assert_run(0, command);
	assert_says("%s", row->text);
}

/* Colibri's formula has a size for every capacity and rate, also where no filter is loaded. */
static const struct only_size_row {
	const char *name; /* options */
	double m, k;
	const char *note;
} ONLY_SIZES[] = {
#define ONLY "--layout flat --hash colibri"
	{ ONLY " --capacity 1 --fpr 0.3", 3, 2,
	  "m = 3 and k = 2: with two generations most fresh events are lost\n" },
	{ ONLY " --capacity 10 --fpr 0.9", 3, 0,
	  "m = 3 and k = 0: with two generations most fresh events are lost\n" },
	{ ONLY " --capacity 1k --fpr 1e-18", 86266, 60, "m = 86266 and k = 60: k is at most 32\n" },
	{ ONLY " --capacity 1G --fpr 1e-4", 19170116755, 13,
	  "m = 19170116755 and k = 13: m is at most 4294967295\n" },
};

static void run_only_size(void **state)
{
	const struct only_size_row *row = *state;
	char command[512];
	json_object *o;

	snprintf(command, sizeof(command), "$XD size %s --json 2>/dev/null", row->name);
	o = json_of(command);
	assert_number(o, "m", row->m);
	assert_number(o, "k", row->k);
	json_object_put(o);
	snprintf(command, sizeof(command), "$XD size %s 2>&1", row->name);
	assert_run(0, command);
	assert_says("note: no filter is loaded with Colibri's %s", row->note);
	assert_says("\nm              %.0f bits\nk              %.0f\n", row->m, row->k);
	snprintf(command, sizeof(command), "$XD load lo --port 8001 %s", row->name);
	assert_run(1, command);
}

/* Each layout with each hash, from load to unload. */

static struct combination {
	char name[32], options[96];
	int layout, hash;
} combinations[14];

static void list_combinations(void)
{
	struct combination *c = combinations;

	for (int layout = DEDUP_BLOCKED; layout <= DEDUP_COUNTDOWN; layout++)
		for (int hash = DEDUP_FAST; hash <= DEDUP_TEZOS; hash++) {
			if (layout == DEDUP_BLOCKED && hash > DEDUP_SIPHASH)
				continue;
			c->layout = layout;
			c->hash = hash;
			snprintf(c->name, sizeof(c->name), "use-%s-%s", layout_of(layout)->name,
				 hash_name(hash));
			snprintf(c->options, sizeof(c->options),
				 "--layout %s --hash %s --capacity 500 --fpr 1e-4",
				 layout_of(layout)->name, hash_name(hash));
			c++;
		}
}

static void check_histogram(json_object *o, uint32_t left, uint32_t cells)
{
	json_object *list = member(o, "life_expectancy_histogram");
	uint32_t places = number(o, "countdowns");

	assert_int_equal(json_object_array_length(list), places + 1);
	for (uint32_t i = 0; i <= places; i++) {
		double is = json_object_get_double(json_object_array_get_idx(list, i));
		double should = !i ? number(o, "m") - cells : i == left ? cells : 0;

		if (is != should)
			fail_msg("%g cells have %u to go, not %g", is, i, should);
	}
}

/* How it says it stands: so many ids are in it, `old` generations old. */
static void check_status(const struct combination *c, int ids, uint32_t old)
{
	const char *now = old ? "set_bits_previous" : "set_bits";
	json_object *o = tool_status("ve0");
	double bits, m, k;

	assert_string_equal(text(o, "layout"), layout_of(c->layout)->name);
	assert_string_equal(text(o, "hash"), hash_name(c->hash));
	assert_run(0, "$XD status ve0");
	assert_says("\n  filter      %s, %s hash; ", layout_of(c->layout)->name, hash_name(c->hash));
	assert_says("\n  estimate    %d ids; ", ids);
	m = c->layout == DEDUP_BLOCKED ? number(o, "blocks") * 256 : number(o, "m");
	k = number(o, c->layout == DEDUP_BLOCKED ? "hashes" : "k");
	bits = number(o, c->layout == DEDUP_COUNTDOWN ? "cells_set" : now);
	if (bits < ids || bits > ids * k)
		fail_msg("%g bits of %d ids", bits, ids);
	if (c->layout == DEDUP_COUNTDOWN) {
		check_histogram(o, number(o, "countdowns") - old, bits);
		assert_number(o, "approx_count", ids);
		assert_number(o, "fill", bits / m);
		assert_says("m = %.0f cells, k = %.0f, 15 countdowns\n", m, k);
		assert_says("  fill        %.2f %% (%.0f cells); %d ids learned and not expired\n",
			    100 * bits / m, bits, ids);
	} else {
		assert_number(o, old ? "fill_previous" : "fill_current", bits / m);
		assert_number(o, old ? "set_bits" : "set_bits_previous", 0);
		assert_number(o, "fill", bits / m / 2);
	}
	if (c->layout == DEDUP_FLAT) {
		assert_number(o, old ? "occupancy_previous" : "occupancy", bits / m);
		assert_number(o, old ? "occupancy" : "occupancy_previous", 0);
		assert_number(o, "m_allocated", ceil(m / 64) * 64);
		assert_says("two arrays of m = %.0f bits, k = %.0f\n", m, k);
	}
	json_object_put(o);
}

static void run_tool(const char *says, const char *command)
{
	assert_run(0, command);
	assert_string_equal(output, says);
}

/* By hand, and by packets in between. */
static void check_ids(const struct combination *c)
{
	const bool countdown = c->layout == DEDUP_COUNTDOWN;

	run_tool(ID_A " unknown\n", "! $XD test ve0 " ID_A);
	check_status(c, 0, 0);
	run_tool(ID_A " new\n" ID_A " known\n" ID_B " new\n", "$XD add ve0 " ID_A " " ID_A " " ID_B);
	run_tool(ID_A " known\n" ID_B " known\n", "$XD test ve0 " ID_A " " ID_B);
	if (!countdown)
		check_status(c, 2, 0); /* there the second `add` may count again */
	assert_run(countdown ? 0 : 1, "$XD remove ve0 " ID_A);
	if (countdown) {
		assert_string_equal(output, ID_A " removed\n");
		run_tool(ID_A " unknown\n", "$XD remove ve0 " ID_A);
		run_tool(ID_A " new\n", "$XD add ve0 " ID_A);
	} else {
		assert_one_line("ve0 has layout ");
		assert_says("%s, which cannot take ids out; load it with --layout countdown",
			    layout_of(c->layout)->name);
	}
	run_tool("", "$XD rotate ve0");
	run_tool(ID_A " known\n", "$XD test ve0 " ID_A);
	if (!countdown)
		check_status(c, 2, 1);
	run_tool("", "$XD reset ve0");
	run_tool(ID_A " unknown\n" ID_B " unknown\n", "! $XD test ve0 " ID_A " " ID_B);
	check_status(c, 0, 0);
	run_tool(ID_A " new\n", "$XD add ve0 " ID_A);
	check_status(c, 1, 0);
	run_tool("", "$XD rotate ve0");
	check_status(c, 1, 1);
	run_tool("", "$XD reset ve0");
}

static void run_combination(void **state)
{
	const struct combination *c = *state;
	json_object *sized, *status;
	char command[256];

	snprintf(command, sizeof(command), "$XD size --json %s 2>/dev/null", c->options);
	sized = json_of(command);
	e2e_load("load ve0 %s", c->options);
	status = tool_status("ve0");
	json_object_object_foreach(sized, key, value)
	{
		if (!strcmp(key, "bytes_per_id") || !strcmp(key, "fpr_expected") ||
		    !strncmp(key, "textbook", 8) || json_object_is_type(value, json_type_string))
			continue;
		assert_number(status, key, json_object_get_double(value));
	}
	json_object_put(sized);
	json_object_put(status);
	check_ids(c);
	e2e_assert_works(0);
	assert_true(e2e_remember() >= 5);
	assert_run(0, "$XD unload ve0");
	e2e_assert_nothing_left();
	e2e_assert_unfiltered(0);
}

/* What load says that it cannot keep; and what it need not say. */
static const struct note {
	const char *name; /* options */
	const char *says; /* NULL: nothing */
} NOTES[] = {
	{ COLIBRI,
	  "note: m = 9586 and k = 7 lose up to 0.0234 of fresh events, not 0.01: they are for one "
	  "generation, and there are two\n" },
	{ "--layout flat --hash colibri --bits 90k --hashes 7 --capacity 1k", NULL },
	{ "--layout flat --hash fips --capacity 1M",
	  "note: m = 8192 and k = 5 keep --fpr 0.0001 for " },
	{ "--layout flat --hash fips --capacity 1M", ", not 1000000: more" },
	{ "--layout countdown --index-bits 8 --hashes 3 --fpr 0.01", "note: m = 256 and" },
	{ "--layout countdown --capacity 100 --countdown-bits 1",
	  "note: with --countdown-bits 1 the next countdown takes every id, however new: ids are "
	  "remembered for at most a window\n" },
	{ "--layout countdown --capacity 100 --countdown-bits 2", NULL },
	{ "--layout flat", NULL },
	{ "--layout flat --hash fips --capacity 100", NULL },
	{ "--layout flat --hash tezos --capacity 1000", NULL },
	/* A rate that only changes by rounding is not reported. */
	{ "--layout flat --capacity 10 --fpr 3.14159265358979e-9", NULL },
	{ "--capacity 10 --fpr 3.14159265358979e-9", NULL },
};

static void run_note(void **state)
{
	const struct note *row = *state;
	char command[512];

	snprintf(command, sizeof(command), "$XD load ve0 --port 8001 %s 2>&1 >/dev/null", row->name);
	assert_run(0, command);
	if (row->says)
		assert_says("%s", row->says);
	else
		assert_string_equal(output, "");
}

int main(void)
{
	cli_environment();
	list_combinations();
	add_rows(REFUSALS, run_refusal, NULL, NULL);
	add_rows(SIZES, run_size, NULL, NULL);
	add_rows(ONLY_SIZES, run_only_size, NULL, NULL);
	add_rows(NOTES, run_note, e2e_setup, e2e_teardown);
	add_rows(combinations, run_combination, e2e_setup, e2e_teardown);
	add_cli_scripts("tests/cli/layout");
	return run_added_tests("layout");
}
