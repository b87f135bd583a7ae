// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Built-in profiles at the highest rates of their protocols, in the user engine. Numbered ones of
 * 16 bits: packets come by two paths, while numbers go round several times. Each packet that any
 * path brings passes exactly once. mirror-l2: frames whose numbers soon come again, or that have
 * none, are exempt; of others copies alone are dropped.
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
#define PORT 5004

static const struct row {
	const char *name, *profile;
	struct protocol_packet packet;
	uint8_t second_path; /* packet.path of the copies */
	uint32_t packets;
	uint32_t senders;   /* which take turns */
	uint64_t step_ns;   /* from packet to packet */
	uint64_t skew_ns;   /* a copy comes so much later */
	uint64_t jitter_ns; /* or up to so much more, in any order */
	uint32_t loss_percent;
	uint32_t restart_every; /* packets, which are a whole number of `senders`; 0: never */
	uint64_t silence_ns;	/* of a sender that restarts, with its first numbers */
	uint32_t outage_every; /* packets, of which the first ones are lost on both paths; 0: never */
	uint64_t outage_ns;    /* for so long */
} ROWS[] = {
	{ "rtp-goes-round-often", "rtp", .packet.protocol = RTP, .packets = 330000, .senders = 1,
	  .step_ns = 5 * US, .skew_ns = 60 * MS, .jitter_ns = 2 * MS },
	/* 32,704 in 21 ms: jiffies are of 1 ms here. */
	{ "rtp-at-its-highest-rate", "rtp", .packet.protocol = RTP, .packets = 330000, .senders = 1,
	  .step_ns = 645 },
	{ "rtp-loses-on-both-paths", "rtp", .packet.protocol = RTP, .packets = 200000, .senders = 3,
	  .step_ns = 4 * US, .skew_ns = 12 * MS, .jitter_ns = MS, .loss_percent = 10 },
	{ "rtp-restarts", "rtp", .packet.protocol = RTP, .packets = 100000, .senders = 1,
	  .step_ns = 20 * US, .skew_ns = 3 * MS, .restart_every = 1000, .silence_ns = 25 * MS },
	{ "rtp-restarts-between-copies", "rtp", .packet.protocol = RTP, .packets = 100000,
	  .senders = 2, .step_ns = 100 * US, .restart_every = 50, .silence_ns = 21 * MS },
	{ "r-tag-of-several-talkers", "r-tag", .packet.protocol = R_TAG, .packets = 330000,
	  .senders = 4, .step_ns = US, .skew_ns = 80 * MS, .jitter_ns = 10 * US, .loss_percent = 1 },
	/* 1 Gbit/s of the smallest frames. */
	{ "hsr-at-line-rate", "hsr", .packet.protocol = HSR, .second_path = 1, .packets = 330000,
	  .senders = 1, .step_ns = 672, .skew_ns = 5 * MS, .jitter_ns = 100 * US },
	/* Half a round and more is lost, too much to tell which way numbers have gone. */
	{ "hsr-has-outages", "hsr", .packet.protocol = HSR, .second_path = 1, .packets = 500000,
	  .senders = 1, .step_ns = 672, .skew_ns = 2 * MS, .outage_every = 100000,
	  .outage_ns = 32 * MS },
	{ "rtp-has-outages", "rtp", .packet.protocol = RTP, .packets = 500000, .senders = 1,
	  .step_ns = US, .outage_every = 100000, .outage_ns = 40 * MS },
	/* As much as the reset allows, without a new numbering. */
	{ "rtp-has-short-outages", "rtp", .packet.protocol = RTP, .packets = 500000, .senders = 1,
	  .step_ns = US, .skew_ns = 5 * MS, .outage_every = 100000, .outage_ns = 20 * MS },
	{ "prp-at-line-rate", "prp", .packet.protocol = PRP, .packet.path = 0xa, .second_path = 0xb,
	  .packets = 330000, .senders = 1, .step_ns = 672, .skew_ns = 5 * MS, .loss_percent = 5 },
	{ "prp-restarts", "prp", .packet.protocol = PRP, .packet.path = 0xa, .second_path = 0xb,
	  .packets = 50000, .senders = 2, .step_ns = 7 * US, .skew_ns = MS, .restart_every = 2000,
	  .silence_ns = 500 * MS },
};

/* A packet by a path. */
struct arrival {
	uint64_t ns;
	uint32_t packet, path;
};

static int by_time(const void *a, const void *b)
{
	const struct arrival *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->packet != y->packet ? (x->packet < y->packet ? -1 : 1)
				      : (int)x->path - (int)y->path;
}

static bool is_in_outage(const struct row *row, uint32_t packet)
{
	return row->outage_every && packet % row->outage_every * row->step_ns < row->outage_ns;
}

static uint32_t make_arrivals(const struct row *row, struct arrival *out)
{
	uint64_t seed = 32, ns = 0;
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < row->packets; i++) {
		if (row->restart_every && i && i % row->restart_every == 0)
			ns += row->silence_ns + row->skew_ns + row->jitter_ns;
		for (uint32_t path = 0; path < 2; path++) {
			uint64_t late = random_next(&seed) % (row->jitter_ns + 1);

			if (random_next(&seed) % 100 < row->loss_percent || is_in_outage(row, i))
				continue;
			out[cnt++] =
				(struct arrival){ ns + (path ? row->skew_ns + late : 0), i, path };
		}
		ns += row->step_ns;
	}
	qsort(out, cnt, sizeof(*out), by_time);
	return cnt;
}

static void make_frame(const struct row *row, const struct arrival *at, struct frame *f)
{
	uint32_t sender = at->packet % row->senders, number = at->packet / row->senders;
	struct protocol_packet p = row->packet;

	if (row->restart_every)
		number = at->packet % row->restart_every / row->senders;
	p.sequence = 65000 + number;
	p.ssrc = sender;
	p.from_mac = (uint8_t)(1 + sender);
	p.port = PORT;
	p.path = at->path ? row->second_path : p.path;
	p.timestamp = at->packet;
	protocol_frame(f, &p);
}

static struct engine *open_profile(const char *name)
{
	static const uint8_t MAC[] = FRAME_MAC;
	struct filter_spec spec = { .capacity = 100000, .streams_cnt = 1 };
	struct profiles all = { 0 };
	const struct profile *p;
	struct dedup_config cfg;
	struct engine *e;

	assert_int_equal(profiles_add_builtin(&all), 0);
	p = profiles_find(&all, name);
	assert_non_null(p);
	spec.fpr_e18 = SPEC_FPR(p->fpr > 0 ? p->fpr : 1e-4);
	spec.window_ns = p->window_ns ?: SPEC_WINDOW_DEFAULT_NS;
	spec.streams[0].stream = p->stream;
	spec.streams[0].numbered = p->numbered;
	spec.streams[0].ports_cnt = p->stream.layer == DEDUP_UDP;
	spec.streams[0].ports[0] = (struct dedup_ports){ PORT, PORT };
	profiles_free(&all);
	assert_int_equal(plan_config(&spec, 1, 250, &cfg), 0);
	assert_int_equal(secrets_set(NULL, &cfg), 0);
	assert_int_equal(engine_open(ENGINE_USER, &cfg, MAC, &e), 0);
	return e;
}

TEST_ROWS(passes_exactly_once, ROWS)
{
	struct arrival *list = calloc(2 * (size_t)row->packets, sizeof(*list));
	uint8_t *came = calloc(row->packets, 1), *passed = calloc(row->packets, 1);
	struct engine *e = open_profile(row->profile);
	static struct frame f;
	uint32_t cnt;

	assert_true(list && came && passed);
	cnt = make_arrivals(row, list);
	for (uint32_t i = 0; i < cnt; i++) {
		struct answer a;

		make_frame(row, &list[i], &f);
		assert_int_equal(engine_run(e, f.data, f.len, list[i].ns, &a), 0);
		if (a.reason != DEDUP_REASON_new && a.reason != DEDUP_REASON_duplicate)
			fail_msg("packet %u: reason %u", list[i].packet, a.reason);
		came[list[i].packet]++;
		passed[list[i].packet] += !a.drops;
	}
	for (uint32_t i = 0; i < row->packets; i++)
		if (passed[i] != !!came[i])
			fail_msg("packet %u came %u times, and passed %u times", i, came[i],
				 passed[i]);
	engine_close(e);
	free(came);
	free(passed);
	free(list);
}

static void see_frame(struct engine *e, uint16_t ethertype, uint32_t number, uint64_t ns,
		      enum dedup_reason reason)
{
	const struct protocol_packet p = { .protocol = OTHER_FRAME,
					   .ethertype = ethertype,
					   .body = 46,
					   .to_mac = { 1, 0x0c, 0xcd } };
	static struct frame f;
	struct program_id id;
	struct answer a;

	protocol_frame(&f, &p);
	frame_put(&f, f.gsp + 30, 2, number);
	program_identify(f.data, f.len, &id); /* computes the digest */
	assert_int_equal(engine_run(e, f.data, f.len, ns, &a), 0);
	if (a.reason != reason || a.drops != (reason == DEDUP_REASON_duplicate))
		fail_msg("frame %u of %04x: reason %u, %s", number, ethertype, a.reason,
			 a.drops ? "dropped" : "passed");
}

/* Of AVTP, EtherCAT, POWERLINK (two), SERCOS, CC-Link IE, HSR, R-TAG, CobraNet, EtherSound, TCnet,
 * EPA, RAPIEnet, SafetyNET p, RTnet, FCoE, PFC, OAM and CCM.
 */
TEST(cyclic_frames_are_exempt)
{
	static const uint16_t ETHERTYPES[] = { 0x22f0, 0x88a4, 0x88ab, 0x3e3f, 0x88cd,
					       0x890f, 0x892f, 0xf1c1, 0x8819, 0x8896,
					       0x888b, 0x88bc, 0x88fe, 0x9c40, 0x9021,
					       0x8906, 0x8808, 0x8809, 0x8902 };
	struct engine *e = open_profile("mirror-l2");

	for (size_t i = 0; i < ARRAY_SIZE(ETHERTYPES); i++)
		see_frame(e, ETHERTYPES[i], 0, i, DEDUP_REASON_exempt);
	engine_close(e);
}

/* Numbers of 16 bits of PROFINET, Sampled Values and any protocol, from frame to frame so long. */
static const struct frames_row {
	const char *name;
	uint16_t ethertype;
	uint64_t step_ns;
} FRAMES[] = {
	{ "profinet-at-31us", 0x8892, 31250 },
	{ "sampled-values-at-96-khz", 0x88ba, 10417 },
	{ "numbers-of-16-bits-at-500k", 0x88b5, 2 * US },
};

TEST_ROWS(mirror_drops_copies_alone, FRAMES)
{
	struct engine *e = open_profile("mirror-l2");

	for (uint32_t i = 0; i < 140000; i++) {
		see_frame(e, row->ethertype, i, i * row->step_ns, DEDUP_REASON_new);
		see_frame(e, row->ethertype, i, i * row->step_ns, DEDUP_REASON_duplicate);
	}
	engine_close(e);
}

UNIT_MAIN()
