// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The profiles that are built in: ids that applications make, datagrams of every length, VLANs;
 * each profile alone, and all of them in one filter.
 */
#include "profile_runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ids.h"
#include "stream_runner.h"
#include "units.h"

/* A packet of each profile whose ids applications make in their own way. */
static const struct good {
	const char *name;
	struct protocol_packet packet;
} GOOD[] = {
	{ "solana-shred", { .protocol = DATA(.index = 3) } },
	{ "moldudp64", { .protocol = MESSAGES(25, 20), MULTICAST } },
	{ "rtp", { .protocol = RTP, .body = 160 } },
	{ "discv4", { .protocol = DISCV4 } },
	{ "payload", { .protocol = DATAGRAM, .body = 37 } },
	{ "mirror", { .protocol = IP_PACKET, .body = 50 } },
	{ "mirror-l2", { .protocol = GOOSE(.body = 120, .fill = 1) } },
	{ "r-tag", { .protocol = R_TAG } },
	{ "hsr", { .protocol = HSR, .path = 1 } },
	{ "prp", { .protocol = PRP } },
};

/* The good packet behind so many VLAN tags. */
static void tagged_frame(struct frame *f, const struct good *g, int tags)
{
	struct protocol_packet p = g->packet;

	for (int i = 0; i < tags; i++) {
		p.tags[i] = i + 1 < tags ? 0x88a8 : 0x8100;
		p.tci[i] = 0x2007 + i;
	}
	protocol_frame(f, &p);
}

static void expect_twice(const struct frame *f)
{
	expect(f, XDP_PASS, DEDUP_REASON_new);
	expect(f, XDP_DROP, DEDUP_REASON_duplicate);
	expect(f, XDP_DROP, DEDUP_REASON_duplicate);
}

static void is_known_to_applications(void **state)
{
	const struct good *g = *state;
	uint8_t id[DEDUP_ID_BYTES_MAX];
	struct frame f;

	profile_load(g->name, ALONE, NULL);
	fixture.row = g->name;
	for (int tags = 0; tags <= 2; tags++) {
		profile_forget();
		tagged_frame(&f, g, tags);
		profile_make_id(g->name, &f, id);
		assert_int_equal(ids_test(&fixture.filter, id), 0);
		expect(&f, XDP_PASS, DEDUP_REASON_new);
		assert_int_equal(ids_test(&fixture.filter, id), 1);
		profile_forget();
		if (fixture.filter.config->numbered[0].width) { /* its sender is to be known */
			struct good other = *g;

			assert_int_equal(ids_add(&fixture.filter, id), -ENOENT);
			other.packet.sequence += 100;
			tagged_frame(&f, &other, tags);
			expect(&f, XDP_PASS, DEDUP_REASON_new);
			other.packet.count = 1;
			other.packet.sequence -= 100;
			tagged_frame(&f, &other, tags);
		}
		assert_int_equal(ids_add(&fixture.filter, id), 0);
		expect(&f, XDP_DROP, DEDUP_REASON_duplicate);
		assert_int_equal(ids_add(&fixture.filter, id), 1);
	}
	fixture.row = "";
}

/* Datagrams that say themselves how short they are: from how many bytes on they have an id. */
static const struct {
	const char *name;
	struct protocol_packet packet;
	uint32_t ignored; /* below this many bytes: gates that are required lie behind the end */
	uint32_t least;	  /* below this many: malformed */
} SHORT[] = {
	{ "solana-shred", { .protocol = DATA() }, 65, 65 },
	{ "moldudp64", { .protocol = MESSAGES(5, 1) }, 0, 20 },
	{ "rtp", { .protocol = RTP, .body = 9 }, 1, 12 },
	{ "discv4", { .protocol = DISCV4 }, 98, 98 },
	{ "payload", { .protocol = DATAGRAM, .body = 9 }, 0, 1 },
};

static void cut_payload(struct frame *f, const struct frame *whole, uint32_t bytes)
{
	*f = *whole;
	f->len = f->gsp + bytes;
	frame_put(f, f->udp + 4, 2, 8 + bytes);
	frame_put(f, f->ip + 2, 2, f->len - f->ip);
	ipv4_sum(f);
}

TEST(short_payloads_pass)
{
	struct frame whole, f;

	for (size_t i = 0; i < ARRAY_SIZE(SHORT); i++) {
		profile_load(SHORT[i].name, ALONE, NULL);
		fixture.row = SHORT[i].name;
		protocol_frame(&whole, &SHORT[i].packet);
		for (uint32_t bytes = 0; bytes < SHORT[i].least; bytes++) {
			cut_payload(&f, &whole, bytes);
			expect(&f, XDP_PASS,
			       bytes < SHORT[i].ignored ? DEDUP_REASON_ignored
							: DEDUP_REASON_bad_length);
		}
		cut_payload(&f, &whole, SHORT[i].least);
		expect_twice(&f);
	}
	fixture.row = "";
}

TEST(payloads_of_every_length)
{
	struct frame f;

	profile_load("payload", ALONE, NULL);
	for (uint32_t bytes = 1; bytes <= 1472; bytes++) {
		protocol_frame(&f, &(struct protocol_packet){ .protocol = DATAGRAM, .body = bytes });
		expect_twice(&f);
	}
}

/* Each loaded as --profile does it; that of moldudp64 needs a destination. */
static const struct stream_wish ALL[] = {
	{ "gsp", .ports = "8001", .realm = 0 },
	{ "solana-shred", .ports = "8101", .realm = 1 },
	{ "moldudp64", .ports = "8102", .to = GROUP_A, .realm = 2 },
	{ "rtp", .ports = "8103", .realm = 3 },
	{ "discv4", .realm = 4 },
	{ "payload", .ports = "8104-8105", .realm = 5 },
	{ "r-tag", .realm = 6 },
	{ "hsr", .realm = 7 },
	{ "prp", .realm = 8 },
	{ "mirror", .realm = 9 },
	{ "mirror-l2", .realm = 10 },
};

static uint16_t port_of(const char *profile)
{
	if (!strcmp(profile, "discv4"))
		return 30303;
	for (size_t i = 0; i < ARRAY_SIZE(ALL); i++)
		if (!strcmp(ALL[i].profile, profile) && ALL[i].ports)
			return strtoul(ALL[i].ports, NULL, 10);
	return 9999;
}

static uint64_t stream_counter(const char *profile, enum dedup_reason reason)
{
	struct filter_counters c;

	for (size_t i = 0; i < ARRAY_SIZE(ALL); i++) {
		if (strcmp(ALL[i].profile, profile))
			continue;
		assert_int_equal(filter_stream_counters(&fixture.filter, i, &c), 0);
		return ((const __u64 *)&c)[reason];
	}
	fail_msg("%s is not among all", profile);
	return 0;
}

TEST(all_in_one_filter)
{
	struct filter_spec spec = { .capacity = 10000 };
	struct profiles all = { 0 };
	struct id id = id_fresh();
	struct frame f;

	assert_int_equal(profiles_add_builtin(&all), 0);
	for (size_t i = 0; i < ARRAY_SIZE(ALL); i++)
		stream_add(&spec, &all, &ALL[i]);
	stream_load(&spec);
	expect_event(&id, XDP_PASS, DEDUP_REASON_new);
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
	for (size_t i = 0; i < ARRAY_SIZE(GOOD); i++) {
		const struct good *g = &GOOD[i];
		struct protocol_packet p = g->packet;
		uint64_t seen = stream_counter(g->name, DEDUP_REASON_duplicate);

		fixture.row = g->name;
		p.port = port_of(g->name);
		protocol_frame(&f, &p);
		expect(&f, XDP_PASS, DEDUP_REASON_new);
		expect(&f, XDP_DROP, DEDUP_REASON_duplicate);
		assert_int_equal(stream_counter(g->name, DEDUP_REASON_duplicate), seen + 1);
	}
	profiles_free(&all);
	fixture_unload(NULL);
}

/* By the outermost tag, in filters of one stream or of several, of any layer. */
TEST(frames_of_other_vlans_are_ignored)
{
	static const struct {
		struct stream_wish wishes[2];
		struct protocol_packet packet;
	} ROWS[] = {
		{ { { .profile = "rtp", .ports = "8001" } }, { .protocol = RTP } },
		{ { { .profile = "rtp", .ports = "8001" },
		    { .profile = "gsp", .ports = "8002", .realm = 1 } },
		  { .protocol = RTP } },
		{ { { .profile = "mirror" } }, { .protocol = IP_PACKET } },
		{ { { .profile = "r-tag" } }, { .protocol = R_TAG } },
		{ { { .profile = "mirror-l2" } }, { .protocol = OTHER_FRAME } },
	};
	static const struct {
		uint16_t tags[2], tci[2];
		bool ours;
	} FRAMES[] = {
		{ { 0 }, { 0 }, true },
		{ { 0x8100 }, { 0x2000 }, true },
		{ { 0x8100 }, { 0x200a }, true },
		{ { 0x8100 }, { 11 }, false },
		{ { 0x88a8, 0x8100 }, { 10, 11 }, true },
		{ { 0x88a8, 0x8100 }, { 11, 10 }, false },
	};
	struct profiles all = { 0 };

	assert_int_equal(profiles_add_builtin(&all), 0);
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		struct filter_spec spec = { .capacity = 10000 };

		assert_int_equal(parse_vlans("10,none", spec.vlans, &spec.vlans_cnt), 0);
		for (size_t j = 0; j < 2 && ROWS[i].wishes[j].profile; j++)
			stream_add(&spec, &all, &ROWS[i].wishes[j]);
		stream_load(&spec);
		for (size_t j = 0; j < ARRAY_SIZE(FRAMES); j++) {
			struct protocol_packet p = ROWS[i].packet;
			struct frame f;

			memcpy(p.tags, FRAMES[j].tags, sizeof(FRAMES[j].tags));
			memcpy(p.tci, FRAMES[j].tci, sizeof(FRAMES[j].tci));
			profile_forget();
			protocol_frame(&f, &p);
			for (int copy = 0; copy < 2; copy++) {
				enum dedup_reason reason = !FRAMES[j].ours ? DEDUP_REASON_ignored
							   : copy	   ? DEDUP_REASON_duplicate
									   : DEDUP_REASON_new;

				expect(&f, fixture_verdict(reason), reason);
			}
		}
		fixture_unload(NULL);
	}
	profiles_free(&all);
}

/* With its own window and rate, and the default capacity. */
TEST(each_alone)
{
	struct profiles all = { 0 };
	struct id id = id_fresh();

	assert_int_equal(profiles_add_builtin(&all), 0);
	for (size_t i = 0; i < ARRAY_SIZE(ALL); i++) {
		struct filter_spec spec = { 0 };

		stream_add(&spec, &all, &ALL[i]);
		stream_load(&spec);
		if (!strcmp(ALL[i].profile, "gsp")) {
			expect_event(&id, XDP_PASS, DEDUP_REASON_new);
			expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
		}
		fixture_unload(NULL);
	}
	profiles_free(&all);
}

int main(void)
{
	add_own_tests(NULL, NULL);
	add_rows(GOOD, is_known_to_applications, NULL, NULL);
	return run_added_tests("profile_prog");
}
