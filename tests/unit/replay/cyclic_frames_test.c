// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Frames of Ethernet protocols whose numbers soon come again, or that have none, at the protocol's
 * highest rate: mirror-l2 drops copies alone. As root, in both engines.
 */
#include "unit.h"

#include "engine.h"
#include "plan.h"
#include "profile.h"
#include "program.h"
#include "protocol_packets.h"
#include "secrets.h"

#define US 1000ULL
#define MS (1000 * US)

static const struct row {
	const char *name;
	uint16_t ethertype;
	uint32_t at, bytes; /* of the number behind the EtherType; 0 bytes: there is none */
	uint32_t first, counts;
	uint64_t step_ns; /* from frame to frame */
	uint32_t frames;
	bool judged; /* mirror-l2 finds copies */
} ROWS[] = {
	{ "avtp", 0x22f0, 2, 1, 0, 1, 125 * US, 2000, false },
	{ "avtp-at-31us", 0x22f0, 2, 1, 0, 1, 31250, 8000, false },
	{ "ethercat", 0x88a4, 3, 1, 0, 1, 31250, 8000, false },
	{ "powerlink", 0x88ab, 0, 0, 0, 0, 100 * US, 2000, false },
	{ "powerlink-1", 0x3e3f, 0, 0, 0, 0, 200 * US, 1000, false },
	{ "sercos", 0x88cd, 1, 1, 0, 1, 31250, 8000, false },
	{ "cc-link-ie", 0x890f, 0, 0, 0, 0, 31250, 8000, false },
	{ "hsr-at-1-gbit", 0x892f, 2, 2, 0, 1, 672, 70000, false },
	{ "r-tag-at-1-gbit", 0xf1c1, 2, 2, 0, 1, 672, 70000, false },
	{ "cobranet", 0x8819, 0, 0, 0, 0, 1333 * US, 200, false },
	{ "ethersound", 0x8896, 0, 0, 0, 0, 20833, 8000, false },
	{ "tcnet", 0x888b, 0, 0, 0, 0, MS, 200, false },
	{ "epa", 0x88bc, 0, 0, 0, 0, MS, 200, false },
	{ "rapienet", 0x88fe, 0, 0, 0, 0, 100 * US, 2000, false },
	{ "safetynet-p", 0x9c40, 0, 0, 0, 0, 62500, 4000, false },
	{ "rtnet", 0x9021, 0, 0, 0, 0, MS, 200, false },
	{ "fcoe-responses", 0x8906, 16, 2, 7, 0, 10 * US, 8000, false },
	{ "pfc", 0x8808, 0, 0, 0, 0, 10 * US, 8000, false },
	{ "oam", 0x8809, 0, 0, 0, 0, 10 * MS, 50, false },
	{ "ccm", 0x8902, 0, 0, 0, 0, 3333 * US, 100, false },
	/* A unit of its counter is 31.25 us. */
	{ "profinet-at-31us", 0x8892, 40, 2, 60000, 1, 31250, 70000, true },
	{ "profinet-at-1ms", 0x8892, 40, 2, 60000, 32, MS, 3000, true },
	{ "sampled-values-at-96-khz", 0x88ba, 30, 2, 0, 1, 10417, 70000, true },
	{ "goose", 0x88b8, 30, 4, 0xfffffff0, 1, MS, 1000, true },
	{ "macsec-at-400-gbit", 0x88e5, 2, 4, 0xffff0000, 1, 2, 70000, true },
	{ "ring-beacons", 0x80e1, 10, 4, 0xfffffff0, 1, 100 * US, 3000, true },
	{ "mrp-tests", 0x88e3, 20, 2, 65000, 1, MS, 1000, true },
	{ "ptp", 0x88f7, 30, 2, 65500, 1, 7812 * US, 100, true },
	{ "circuit-in-ethernet", 0x88d8, 6, 2, 0, 1, 125 * US, 70000, true },
	{ "circuit-in-mpls", 0x8847, 6, 2, 0, 1, 125 * US, 70000, true },
	{ "numbers-of-16-bits-at-500k", 0x88b5, 0, 2, 0, 1, 2 * US, 140000, true },
};

static void open_mirror_l2(enum engine_kind kind, struct engine **ret_engine)
{
	struct filter_spec spec = { .capacity = 1000000, .streams_cnt = 1 };
	struct profiles all = { 0 };
	const struct profile *p;
	struct dedup_config cfg;

	assert_int_equal(profiles_add_builtin(&all), 0);
	p = profiles_find(&all, "mirror-l2");
	assert_non_null(p);
	spec.fpr_e18 = SPEC_FPR(p->fpr);
	spec.window_ns = p->window_ns;
	spec.streams[0].stream = p->stream;
	profiles_free(&all);
	assert_int_equal(plan_config(&spec, 1, 250, &cfg), 0);
	assert_int_equal(secrets_set(NULL, &cfg), 0);
	assert_int_equal(engine_open(kind, &cfg, NULL, ret_engine), 0);
}

static void see(struct engine *e, const struct row *row, uint32_t i, enum dedup_reason reason)
{
	static struct frame f;
	const struct protocol_packet p = {
		.protocol = OTHER_FRAME,
		.ethertype = row->ethertype,
		.body = 46,
		.to_mac = { 1, 0x0c, 0xcd },
	};
	struct program_id id;
	struct answer a;

	protocol_frame(&f, &p);
	if (row->bytes)
		frame_put(&f, f.gsp + row->at, row->bytes, row->first + i * row->counts);
	program_identify(f.data, f.len, &id);
	assert_int_equal(engine_run(e, f.data, f.len, i * row->step_ns, &a), 0);
	if (a.reason != reason || a.drops != (reason == DEDUP_REASON_duplicate))
		fail_msg("frame %u: reason %u, %s", i, a.reason, a.drops ? "dropped" : "passed");
}

TEST_ROWS(drops_copies_alone, ROWS)
{
	for (int kind = ENGINE_USER; kind <= (geteuid() ? ENGINE_USER : ENGINE_KERNEL); kind++) {
		struct engine *e;

		open_mirror_l2(kind, &e);
		for (uint32_t i = 0; i < row->frames; i++) {
			see(e, row, i, row->judged ? DEDUP_REASON_new : DEDUP_REASON_exempt);
			if (row->judged)
				see(e, row, i, DEDUP_REASON_duplicate);
		}
		engine_close(e);
	}
}

UNIT_MAIN()
