// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The statistics of libxdp-dedup, which are those of `xdp-dedup status`. */
#include "lib_runner.h"

#include <math.h>
#include <sys/mman.h>

#include "hand.h"
#include "output.h"

static void assert_same(double is, double should, const char *what)
{
	if (!(is <= should * (1 + 1e-12) && is >= should * (1 - 1e-12)))
		fail_msg("%s: %.17g, not %.17g", what, is, should);
}

static void compare_fill(const struct xdp_dedup_stats *s, json_object *o)
{
	bool countdown = lib_is_countdown();

	assert_same(s->set_bits, number(o, countdown ? "cells_set" : "set_bits"), "set_bits");
	assert_same(s->occupancy, number(o, countdown ? "fill" : "fill_current"), "occupancy");
	assert_same(s->set_bits_previous, countdown ? 0 : number(o, "set_bits_previous"),
		    "set_bits_previous");
	assert_same(s->occupancy_previous, countdown ? 0 : number(o, "fill_previous"),
		    "occupancy_previous");
	assert_same(s->approx_count, countdown ? number(o, "approx_count") : 0, "approx");
	assert_same(s->ids_estimate, number(o, "ids_estimate"), "ids_estimate");
	assert_same(s->fpr_estimate, number(o, "fpr_estimate"), "fpr_estimate");
	assert_same(s->occupancy, (double)s->set_bits / s->m, "occupancy");
	assert_same(s->occupancy_previous, (double)s->set_bits_previous / s->m, "previous");
}

static void compare_config(const struct xdp_dedup_stats *s, json_object *o)
{
	bool blocked = lib.raw.config->memory.layout == DEDUP_BLOCKED;

	assert_string_equal(s->layout, text(o, "layout"));
	assert_string_equal(s->hash, text(o, "hash"));
	assert_same(s->capacity, number(o, "capacity"), "capacity");
	assert_same(s->window_ns, number(o, "window_ns"), "window_ns");
	assert_same(s->fpr, number(o, "fpr"), "fpr");
	assert_same(s->m, blocked ? number(o, "blocks") * 256 : number(o, "m"), "m");
	assert_same(s->k, number(o, blocked ? "hashes" : "k"), "k");
}

/* Both while the hand stood still, as it does most of the time. */
static json_object *status_between(struct xdp_dedup_stats *s)
{
	for (int tries = 0; tries < 100; tries++) {
		uint64_t hand = READ_ONCE(lib.raw.state->hand);
		json_object *o = json_of("$XD status " LIB_NAME " --json --exact");

		*s = lib_stats();
		if (READ_ONCE(lib.raw.state->hand) == hand)
			return o;
		json_object_put(o);
	}
	fail();
	return NULL;
}

static void compare_with_status(void)
{
	struct xdp_dedup_stats s;
	json_object *o = status_between(&s), *counters = member(o, "counters");

	compare_config(&s, o);
	compare_fill(&s, o);
	assert_same(s.rx, number(counters, "rx"), "rx");
	assert_same(s.fresh, number(counters, "new"), "fresh");
	assert_same(s.duplicate, number(counters, "duplicate"), "duplicate");
	assert_same(s.dropped, number(counters, "dropped"), "dropped");
	assert_same(s.wanted, number(counters, "wanted"), "wanted");
	assert_false(s.stopped);
	json_object_put(o);
}

TEST(kind_tells_what_status_does)
{
	struct xdp_dedup_stats before = lib_stats(), s;

	compare_with_status();
	assert_true(before.ids_estimate == 0 && !before.set_bits && !before.approx_count);
	for (int i = 0; i < 300; i++) {
		struct id id = id_fresh();

		assert_int_equal(lib_packet_dropped(&id), 0);
		if (i < 100)
			assert_int_equal(lib_packet_dropped(&id), 1);
	}
	e2e_tool("rotate " LIB_NAME);
	for (int i = 0; i < 200; i++) {
		struct id id = id_fresh();

		assert_int_equal(lib_seen(&id), 0);
	}
	compare_with_status();
	s = lib_stats();
	assert_int_equal(s.rx - before.rx, 400);
	assert_int_equal(s.fresh - before.fresh, 300);
	assert_int_equal(s.duplicate - before.duplicate, 100);
	assert_int_equal(s.dropped - before.dropped, 100);
	assert_true(s.ids_estimate > 480 && s.ids_estimate < 520);
	assert_int_equal(s.approx_count, lib_is_countdown() ? 500 : 0);
	assert_true(s.set_bits > 0 && (s.set_bits_previous > 0) == !lib_is_countdown());
	assert_true(s.fpr_estimate > 0 && s.fpr_estimate <= s.fpr);
}

/* Of two kinds of packets that may be dropped, and need not be. */
TEST(stats_tell_drops_from_duplicates)
{
	static const char *const OPTIONS[] = { "--layout flat", "--layout flat --action count" };

	for (int count = 0; count < 2; count++) {
		struct xdp_dedup_stats s;
		struct id id = id_fresh();

		lib_load(OPTIONS[count]);
		assert_false(lib_dropped(GSP_EVENT, &id));
		for (int i = 0; i < 3; i++)
			assert_int_equal(lib_dropped(GSP_EVENT, &id), !count);
		for (int i = 0; i < 5; i++)
			assert_int_equal(lib_dropped(GSP_IHAVE, &id), !count);
		s = lib_stats();
		assert_true(s.rx == 9 && s.fresh == 1 && s.duplicate == 3);
		assert_int_equal(s.dropped, count ? 0 : 8);
	}
}

/* Callers of older and newer headers than the library. */
TEST(stats_of_any_size)
{
	union {
		struct xdp_dedup_stats s;
		uint8_t bytes[sizeof(struct xdp_dedup_stats) + 64];
	} all, some;

	lib_load("--layout flat");
	memset(&all, 0xee, sizeof(all));
	assert_int_equal(xdp_dedup_stats(lib.f, &all.s, sizeof(all)), 0);
	for (size_t i = sizeof(all.s); i < sizeof(all); i++)
		assert_int_equal(all.bytes[i], 0);
	for (size_t size = 0; size < sizeof(all); size++) {
		memset(&some, 0xee, sizeof(some));
		assert_int_equal(xdp_dedup_stats(lib.f, &some.s, size), 0);
		assert_memory_equal(&some, &all, size);
		for (size_t i = size; i < sizeof(some); i++)
			assert_int_equal(some.bytes[i], 0xee);
	}
}

static struct xdp_dedup_counters compare_counters(void)
{
	struct xdp_dedup_counters c;
	json_object *o = tool_status(LIB_NAME), *counters = member(o, "counters");

	assert_int_equal(xdp_dedup_counters(lib.f, &c, sizeof(c)), 0);
#define SAME(field, key) assert_same(c.field, number(counters, #key), #field)
	SAME(rx, rx);
	SAME(dropped, dropped);
	SAME(fresh, new);
	SAME(duplicate, duplicate);
	SAME(ihave_fresh, ihave_new);
	SAME(ihave_duplicate, ihave_duplicate);
	SAME(unlearned, unlearned);
	SAME(stale, stale);
	SAME(duplicate_bytes, duplicate_bytes);
	SAME(early, early);
	SAME(untaken, untaken);
#undef SAME
	json_object_put(o);
	return c;
}

/* Of a filter that delivers, and whose sockets nobody has. */
TEST(what_no_socket_takes_is_counted)
{
	struct xdp_dedup_counters c;
	struct id id = id_fresh();

	lib_load(" --deliver xsk");
	for (int i = 0; i < 3; i++)
		assert_false(lib_dropped(GSP_EVENT, &id));
	c = compare_counters();
	assert_true(c.rx == 3 && c.untaken == 3 && !c.fresh && !c.duplicate);
}

/* Each counter apart from the others; of a filter whose memory must not be looked at. */
TEST(counters_are_those_of_status)
{
	struct xdp_dedup_counters c;
	struct id id = id_fresh(), other = id_fresh();

	lib_load("");
	assert_false(lib_dropped(GSP_IHAVE, &other));
	assert_false(lib_dropped(GSP_EVENT, &id));
	for (int i = 0; i < 2; i++)
		assert_true(lib_dropped(GSP_EVENT, &id));
	for (int i = 0; i < 3; i++)
		assert_true(lib_dropped(GSP_IHAVE, &id));
	c = compare_counters();
	assert_true(c.rx == 7 && c.fresh == 1 && c.duplicate == 2 && c.ihave_duplicate == 3);
	assert_true(c.ihave_fresh == 1 && c.dropped == 5 && c.duplicate_bytes > 0 && !c.stopped);

	assert_int_equal(mprotect(lib.raw.blocks, 1, PROT_NONE), 0);
	lib_freeze();
	lib.raw.state->limit = 0;
	for (int i = 0; i < 40; i++) {
		other = id_fresh();
		lib_dropped(GSP_EVENT, &other);
	}
	c = compare_counters();
	assert_true(c.unlearned > 0 && c.fresh + c.unlearned == 41);
	lib.raw.state->stale_at = 0;
	assert_false(lib_dropped(GSP_EVENT, &id));
	lib.raw.state->last_ns = 1;
	c = compare_counters();
	assert_true(c.stale == 1 && c.stopped);
}

/* More than 4 MB: a sample, unless all is asked for. */
TEST(large_is_sampled)
{
	struct xdp_dedup_stats exact, sampled;
	json_object *o;

	lib_load("--capacity 2M --fpr 1e-4");
	for (int i = 0; i < 20000; i++) {
		struct id id = id_fresh();

		assert_int_equal(lib_seen(&id), 0);
	}
	lib_freeze();
	assert_int_equal(xdp_dedup_stats_exact(lib.f, &exact, sizeof(exact)), 0);
	assert_int_equal(xdp_dedup_stats(lib.f, &sampled, sizeof(sampled)), 0);
	assert_true(!exact.sampled && exact.ids_error == 0);
	assert_true(fabs(exact.ids_estimate / 20000 - 1) < 0.01);
	assert_true(sampled.sampled && sampled.ids_error > 0);
	assert_true(sampled.ids_error < 0.05 * exact.ids_estimate);
	assert_true(fabs(sampled.ids_estimate - exact.ids_estimate) < 6 * sampled.ids_error);
	assert_int_equal(sampled.rx, exact.rx);

	o = json_of("$XD status " LIB_NAME " --json --exact");
	assert_false(json_object_get_boolean(member(o, "fill_sampled")));
	assert_true(number(o, "fill_read_part") == 1 && number(o, "ids_estimate_error") == 0);
	compare_fill(&exact, o);
	json_object_put(o);
	o = tool_status(LIB_NAME);
	assert_true(json_object_get_boolean(member(o, "fill_sampled")));
	assert_true(number(o, "fill_read_part") < 0.51 && number(o, "fill_read_part") > 0.1);
	assert_true(fabs(number(o, "ids_estimate") - exact.ids_estimate) <
		    6 * number(o, "ids_estimate_error"));
	json_object_put(o);
	assert_run(0, "$XD status " LIB_NAME);
	assert_says(" (standard error ");
	assert_says("\n              fill and estimate from a sample of ");
	assert_run(0, "$XD status --exact");
	assert_true(!strstr(output, "sample") && !strstr(output, "standard error"));
}

LIB_MAIN()
