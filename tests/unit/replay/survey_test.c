// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The survey of captures whose duplicates are known: what it recommends, in which figures; and that
 * replay with the recommended options drops what was promised.
 */
#include "unit.h"

#include "capture.h"
#include "packet.h"
#include "survey_runner.h"

static const struct survey_row ROWS[] = {
	{ "moldudp64-feeds",
	  "--profile moldudp64:26477@233.252.0.1#feed1 --profile moldudp64:26478@233.252.0.2#feed1 "
	  "--paths 2",
	  4900, 4900 },
	{ "rtp-by-two-paths", "--profile rtp:5006#feed1 --profile rtp:5004#feed1 --paths 2", 3920,
	  3920 },
	{ "shreds", "--profile solana-shred:8002 --window 5s --capacity 10k", 5900, 6000 },
	{ "span-of-both-directions", "--profile mirror --window 10ms --capacity 10k", 2850, 2850 },
	{ "gossip-mesh", "--profile gsp:8001 --window 1m --capacity 10k", 7500, 7500 },
	{ "nothing-to-gain", "", 0, 0 },
	{ "keepalives", "", 0, 0 },
	{ "keepalives-without-ip-ids", "", 0, 0 },
	{ "relays", "--profile payload:5140 --window 100ms --capacity 10k", 2000, 2000 },
	{ "relays-beside-a-group",
	  "--profile payload:5140@10.10.10.10 --window 100ms --capacity 10k", 2000, 2000 },
	{ "rtp-among-others", "--profile payload:5004 --window 100ms --capacity 10k", 4000, 4000 },
	{ "rtp-with-reports", "--profile payload:5004 --window 100ms --capacity 10k", 2000, 2000 },
	{ "mesh-with-ihaves", "--profile gsp:8001 --window 100ms --capacity 10k", 2000, 2000 },
	{ "datagrams-by-two-paths", "--profile payload:5140 --window 100ms --capacity 10k", 1000,
	  1000 },
	{ "many-ports-by-two-paths", "--profile mirror --window 10ms --capacity 10k", 1000, 1000 },
	{ "prp-of-tcp", "--profile prp", 1000, 1000 },
	{ "slow-relay", "", 0, 0 },
	/* The window is as long as the profile lets it be. */
	{ "relay-that-is-slow-at-times", "--profile payload:5140 --window 1s --capacity 10k", 500,
	  500 },
	{ "three-weeks", "--profile gsp:8001 --window 6h --capacity 10k", 10080, 10080 },
	{ "prp", "--profile prp", 70000, 70000 },
	{ "r-tag", "--profile r-tag", 70000, 70000 },
	{ "moldudp64-later-than-history",
	  "--profile payload:26400@233.252.0.1,233.252.0.2 --window 500ms --capacity 10k", 1000,
	  1000 },
	{ "not-rtp", "", 0, 0 },
	{ "strays", "", 0, 0 },
	{ "feeds-of-ipv6",
	  "--profile moldudp64:26400@ff05::1#feed1 --profile moldudp64:26400@ff05::2#feed1 "
	  "--profile moldudp64:30000@10.1.2.3 --paths 2",
	  2000, 2000 },
	{ "empty", "", 0, 0 },
	{ "feed-that-repeats",
	  "--profile payload:5140@233.252.0.1#feed1 --profile payload:5141@233.252.0.2#feed1 "
	  "--window 100ms --capacity 10k",
	  2000, 2000 },
	{ "span-beside-frames", "--profile mirror --window 10ms --capacity 10k", 2850, 2850 },
	{ "second-relay-that-repeats", "", 0, 0 },
	{ "said-to-four-ports", "", 0, 0 },
	{ "said-to-four-groups-by-four",
	  "--profile payload:1740@233.252.0.1#feed1 --profile payload:1741@233.252.0.2#feed1 "
	  "--profile payload:1742@233.252.0.3#feed1 --profile payload:1743@233.252.0.4#feed1 "
	  "--window 100ms --capacity 10k",
	  300, 300 },
	{ "relays-that-seldom-repeat", "--profile payload:5140 --window 100ms --capacity 10k", 2000,
	  2000 },
	{ "to-many-hosts-and-twice", "", 0, 0 },
	{ "name-queries", "", 0, 0 },
	{ "netbios", "--profile payload:137 --window 100ms --capacity 10k", 400, 400 },
	{ "rtp-said-twice", "", 0, 0 },
	{ "hellos-beside-a-game", "", 0, 0 },
	{ "flood-of-one-packet", "", 0, 0 },
	{ "acknowledged-again", "", 0, 0 },
	{ "span-of-ipv6", "--profile mirror --window 10ms --capacity 10k", 600, 600 },
	{ "span-of-frames", "--profile mirror-l2 --window 10ms --capacity 10k", 1000, 1000 },
	{ "frames-said-soon-again", "", 0, 0 },
	{ "frame-said-soon-again", "", 0, 0 },
	{ "frames-said-later-again", "--profile mirror-l2 --window 10ms --capacity 10k", 2000, 2000 },
	{ "cyclic-frames", "", 0, 0 },
	{ "flood-of-a-frame", "", 0, 0 },
	{ "span-of-frames-and-exempt", "--profile mirror-l2 --window 10ms --capacity 10k", 2000,
	  2000 },
	{ "span-of-all-frames", "--profile mirror --profile mirror-l2 --window 10ms --capacity 10k",
	  2880, 2880 },
	{ "few-frames-twice", "", 0, 0 },
	{ "relays-beside-frames", "--profile payload:5140 --window 100ms --capacity 10k", 2000, 2000 },
	{ "two-paths-and-some-tcp", "--profile payload:5140 --window 100ms --capacity 10k", 1000,
	  1000 },
	{ "little-seen-twice", "", 0, 0 },
	{ "both-versions",
	  "--profile moldudp64:30000@ff05::1#feed1 --profile moldudp64:30000@233.252.0.7#feed1 "
	  "--paths 2",
	  1000, 1000 },
	{ "snapped-feeds",
	  "--profile moldudp64:26477@233.252.0.1#feed1 --profile moldudp64:26478@233.252.0.2#feed1 "
	  "--paths 2",
	  4900, 4900 },
};

TEST(copies_by_two_interfaces)
{
	const struct survey_result *r = survey_of("moldudp64-by-two-interfaces");

	assert_true(r->filter.several_ifaces);
	assert_true(r->filter.spec.several);
	assert_int_equal(r->ifaces_cnt, 2);
	assert_int_equal(r->destinations[0].best->other_iface, 4900);
}

/* A path is a stream on an interface. */
TEST(paths_of_numbered_streams)
{
	static const struct {
		const char *name;
		uint32_t paths;
	} OF[] = {
		{ "moldudp64-feeds", 2 },	 { "moldudp64-by-two-interfaces", 2 },
		{ "rtp-by-two-interfaces", 2 },	 { "rtp-that-restarts", 1 },
		{ "rtp-of-one-name", 2 },	 { "groups-and-ports", 1 },
		{ "datagrams-by-two-paths", 0 }, { "prp", 1 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(OF); i++)
		assert_int_equal(survey_of(OF[i].name)->filter.spec.paths, OF[i].paths);
}

/* 5,000 packets on B, 50 of them heartbeats; A lost 50. */
TEST(figures_of_feeds)
{
	const struct survey_destination *a, *b;
	const struct survey_fit *f;
	const struct survey_result *r = survey_of("moldudp64-feeds");

	a = survey_destination(r, SURVEY_UDP, 26477);
	b = survey_destination(r, SURVEY_UDP, 26478);
	assert_int_equal(r->packets, a->packets + b->packets);
	assert_int_equal(r->bytes, a->bytes + b->bytes);
	assert_int_equal(r->first_ns, survey_made.list[0].ns);
	assert_int_equal(r->last_ns, survey_made.list[survey_made.cnt - 1].ns);
	assert_int_equal(a->identical.packets, 0);
	assert_int_equal(b->identical.packets, 4950);
	assert_in_range(b->identical.p99_ns, 1900000, 2 * MS);
	assert_int_equal(a->feed, 1);
	assert_int_equal(b->feed, 1);
	f = b->best;
	assert_string_equal(f->profile->stream.name, "moldudp64");
	assert_int_equal(f->packets, 5000);
	assert_int_equal(f->ids, 50);
	assert_int_equal(f->duplicates.packets, 4900);
	assert_int_equal(f->elsewhere, 4900);
	assert_int_equal(f->in_window, 4900);
	assert_int_equal(f->window_ns, 10 * MS);
	assert_int_equal(f->other_iface + f->same_sender + f->differ + f->snapped, 0);
	assert_in_range(f->duplicates.median_ns, 900000, 1100000);
	assert_in_range(f->duplicates.greatest_ns, 1900000, 2 * MS);
	assert_int_equal(a->best->ids, 4900);
	/* Numbers need no capacity. */
	assert_int_equal(r->filter.window_ids, 0);
	assert_int_equal(r->filter.drop_bytes, f->duplicates.bytes);
	assert_false(r->filter.several_ifaces || r->filter.other_hosts || r->filter.spec.several);
	assert_true(r->filter.spec.count_only);
}

/* What profiles make of a destination, or, of number 0, of all traffic. */
static const struct fit_row {
	const char *name, *profile;
	enum survey_why why;
	uint32_t duplicates, differ;
	uint16_t port;
} FITS[] = {
	/* An id says what a duplicate is, though the bytes differ; but in others that is suspicious. */
	{ "gossip-mesh", "gsp", SURVEY_BEST, 7500, 7500, GOSSIP_PORT },
	{ "moldudp64-feeds", "payload", SURVEY_LESS_SPECIFIC, 4950, 0, 26478 },
	{ "not-rtp", "rtp", SURVEY_DIFFERS, 2999, 2999, 7000 },
	{ "not-rtp", "payload", SURVEY_FINDS_NONE, 0, 0, 7000 },
	{ "not-rtp-to-two", "payload", SURVEY_BEST, 125, 0, 7000 },
	{ "slow-relay", "payload", SURVEY_TOO_OLD, 2000, 0, 5140 },
	/* All but those that come first, or 10 s after the one that counts as first. */
	{ "keepalives", "payload", SURVEY_SAME_SENDER, 490, 0, 3784 },
	{ "prp", "prp", SURVEY_BEST, 70000, 0, 0 },
	/* R-TAG's numbers are exempt; a sender repeats its frames. */
	{ "r-tag", "mirror-l2", SURVEY_FINDS_NONE, 0, 0, 0 },
	{ "cyclic-frames", "mirror-l2", SURVEY_SAME_SENDER, 4950, 0, 0 },
};

TEST(fits)
{
	for (size_t i = 0; i < ARRAY_SIZE(FITS); i++) {
		const struct fit_row *row = &FITS[i];
		const struct survey_result *r = survey_of(row->name);
		const struct survey_fit *f =
			row->port ? SURVEY_FIT(survey_destination(r, SURVEY_UDP, row->port),
					       row->profile)
				  : survey_fit(r->all, r->all_cnt, row->profile);

		if (f->why != row->why || f->duplicates.packets != row->duplicates ||
		    f->differ != row->differ)
			fail_msg("%s, %s: %d, %ju, %ju", row->name, row->profile, f->why,
				 (uintmax_t)f->duplicates.packets, (uintmax_t)f->differ);
	}
}

/* What does not fit into one filter, by number or by window, is another one. */
static const struct left_out {
	const char *name, *stream; /* of the other filter */
	uint32_t streams, to, left_out, drops, rest_streams, rest_drops;
} LEFT_OUT[] = {
	{ "many-streams", "payload", 16, 0, 4, 1600, 4, 400 },
	/* One feed of 20 groups fits in, two do not. */
	{ "many-groups", "rtp", 1, 20, 1, 1900, 1, 1900 },
	{ "no-window-for-both", "payload", 1, 0, 1, 7500, 1, 2000 },
	{ "relays-beside-frames", "mirror-l2", 1, 0, 1, 2000, 1, 1000 },
	{ "frames-beside-relays", "payload", 1, 0, 1, 3000, 1, 2000 },
	{ "frames-beside-r-tag", "mirror-l2", 1, 0, 1, 70000, 1, 10000 },
};

TEST(is_left_out)
{
	for (size_t i = 0; i < ARRAY_SIZE(LEFT_OUT); i++) {
		const struct left_out *row = &LEFT_OUT[i];
		const struct survey_result *r = survey_of(row->name);
		const struct filter_spec *spec = &r->filter.spec, *rest = &r->rest.spec;

		assert_int_equal(spec->streams_cnt, row->streams);
		assert_int_equal(spec->streams[0].to_cnt, row->to);
		assert_int_equal(r->left_out, row->left_out);
		assert_int_equal(r->filter.drops, row->drops);
		assert_int_equal(rest->streams_cnt, row->rest_streams);
		assert_string_equal(rest->streams[0].stream.name, row->stream);
		assert_int_equal(rest->streams[0].to_cnt, row->to);
		assert_int_equal(r->rest.drops, row->rest_drops);
		for (uint32_t n = 0; n < spec->streams_cnt; n++)
			assert_int_equal(spec->streams[n].stream.realm, n);
		assert_true(spec->window_ns != rest->window_ns || row->streams == 16 || row->to);
	}
}

TEST(frames_of_two_hosts)
{
	const struct survey_destination *d;
	const struct survey_result *r = survey_of("two-hosts");

	assert_true(r->filter.other_hosts);
	d = survey_destination(r, SURVEY_UDP, 8002);
	assert_int_equal(d->addresses_cnt, 2);
	assert_false(d->more_addresses);
}

/* One sender by two interfaces; those of one in ten copies; hosts of two MACs; the lowest rate of two profiles. */
TEST(what_the_filter_needs)
{
	const struct survey_result *r = survey_of("one-sender-by-two-interfaces");

	assert_string_equal(r->filter.spec.streams[0].stream.name, "payload");
	assert_true(survey_of("two-interfaces-at-times")->filter.several_ifaces);
	r = survey_of("a-host-by-port");
	assert_true(r->filter.other_hosts);
	assert_int_equal(r->filter.spec.streams_cnt, 2);
	assert_false(survey_of("relays")->filter.other_hosts);
	assert_true(survey_of("span-beside-shreds")->filter.spec.fpr_e18 <= SPEC_FPR(1e-6));
}

TEST(figures_of_destinations)
{
	const struct survey_destination *d;
	const struct survey_result *r;

	/* To another group than before, and then to this one again. */
	d = survey_destination(survey_of("feed-that-repeats"), SURVEY_UDP, 5141);
	assert_int_equal(d->best->duplicates.packets, 2000);
	assert_int_equal(d->best->elsewhere, 1000);
	/* By the payload, and not by the packet, too. */
	d = survey_destination(survey_of("datagrams-by-two-paths"), SURVEY_UDP, 5140);
	assert_int_equal(d->identical.packets, 1000);
	/* What differs in length, or behind what was captured, is not identical. */
	d = survey_destination(survey_of("jumbo-frames"), SURVEY_ETHERNET, 0x88b5);
	assert_int_equal(d->identical.packets, 0);
	d = survey_destination(survey_of("snapped-frames"), SURVEY_ETHERNET, 0x88b5);
	assert_int_equal(d->identical.packets, 0);
	d = survey_destination(survey_of("both-versions"), SURVEY_UDP, 5140);
	assert_int_equal(d->addresses_cnt, 1);
	assert_true(d->more_addresses);
	/* Where nothing can be dropped, the destination with most repetitions comes first. */
	r = survey_of("keepalives");
	assert_int_equal(r->destinations[0].number, 3784);
	/* More ports, or groups, than there is room for: not nothing. */
	assert_int_equal(survey_of("feed-of-many-ports")->left_out, 1);
	assert_int_equal(survey_of("feed-of-many-groups")->left_out, 1);
	assert_int_equal(survey_of("groups-and-ports")->left_out, 0);
}

static void leave(struct capture_frame *f)
{
	f->outgoing = true;
}

TEST(sent_by_the_host)
{
	assert_int_equal(survey_changed("relays", NULL, leave)->advice, SURVEY_NOTHING);
}

static void go_back(struct capture_frame *f)
{
	f->ns -= f->number % 2 ? 0 : 20 * MS;
}

/* Times go back at every second packet: they stand still, and all is found. */
TEST(times_that_go_back)
{
	const struct survey_result *r = survey_changed("datagrams-by-two-paths", NULL, go_back);

	assert_int_equal(r->filter.drops, 1000);
}

/* Whatever the bytes and times, and with too little memory: nothing is read out of bounds, all is
 * counted once.
 */
TEST(any_bytes)
{
	static const char *const NAMES[] = {
		"moldudp64-feeds",	   "rtp-by-two-paths",	 "shreds",
		"span-of-both-directions", "gossip-mesh",	 "r-tag",
		"mirrors-in-geneve",	   "mirrors-of-a-fabric"
	};
	const struct survey_result *r;
	struct survey *s;
	uint64_t seed = 5, cnt = 0, sum = 0;

	assert_int_equal(survey_open(0, NULL, &s), 0);
	for (size_t m = 0; m < ARRAY_SIZE(NAMES); m++) {
		struct traffic t;

		traffic_make(&t, NAMES[m]);
		for (uint32_t i = 0; i < 3000; i++) {
			struct capture_frame f = traffic_frame(&t, random_next(&seed) % t.cnt);
			uint8_t *copy;

			f.len = random_next(&seed) % 4 ? f.len : random_next(&seed) % (f.len + 1);
			f.wire_len = random_next(&seed) % 4 ? f.len : f.wire_len;
			if (random_next(&seed) % 100 == 0)
				f.wire_len = UINT32_MAX;
			f.ns = random_next(&seed) >> random_next(&seed) % 64;
			f.iface = random_next(&seed) % CAPTURE_IFACES_MAX;
			copy = malloc(f.len);
			memcpy(copy, f.data, f.len);
			for (uint32_t j = random_next(&seed) % 4; j && f.len; j--)
				copy[random_next(&seed) % (f.len < 60 ? f.len : 60)] =
					(uint8_t)random_next(&seed);
			f.data = copy;
			assert_int_equal(survey_note(s, &f), 0);
			free(copy);
			cnt++;
		}
		traffic_free(&t);
	}
	r = survey_end(s);
	assert_non_null(r);
	assert_int_equal(r->packets, cnt);
	assert_true(r->known_since_ns > 0);
	for (uint32_t i = 0; i < r->destinations_cnt; i++)
		sum += r->destinations[i].packets;
	assert_int_equal(sum + r->others.packets, cnt);
	survey_close(s);
}

/* One output of the tool; its exit status. */
static int run_text(char *out, size_t size, const char *path, const char *options)
{
	return sh_out(out, size, "%s replay %s %s", tool(), path, options);
}

/* The output of `replay` of a file that is made of this traffic. Returns the file's path. */
static const char *read_of(const char *traffic, char *out, size_t size)
{
	const char *path = survey_file(traffic);

	assert_int_equal(run_text(out, size, path, ""), 0);
	return path;
}

TEST(what_people_read)
{
	static const char *const SAYS[] = {
		"9950 packets",
		"UDP 26478 to 233.252.0.2                         5000   50.3%      99.0%  "
		"moldudp64  feed 1\n",
		"moldudp64: 4900 duplicates, after 1",
		"At least 4900 packets can be dropped: 49.2 % of all, ",
		"  sudo xdp-dedup load IFNAME --profile moldudp64:26477@233.252.0.1#feed1 "
		"--profile moldudp64:26478@233.252.0.2#feed1 --paths 2 --action count\n",
		"What each path brings of numbered streams:\n  sender      ",
		"    moldudp64-2 interface 0 first",
		"sudo xdp-dedup status IFNAME\n",
	};
	char out[8192];
	json_object *o, *rest;
	const char *options, *path = read_of("moldudp64-feeds", out, sizeof(out));

	for (size_t i = 0; i < ARRAY_SIZE(SAYS); i++)
		if (!strstr(out, SAYS[i]))
			fail_msg("it does not say \"%s\": %s", SAYS[i], out);
	assert_int_equal(run_text(out, sizeof(out), path, "--write-passed /tmp/x"), 2);
	/* Packets that are cut: nothing is taken for known. */
	read_of("snapped-relays", out, sizeof(out));
	assert_non_null(strstr(out, "As far as the cut packets tell there is nothing to gain"));
	/* What mirror-l2 exempts by a mask is none of its frames. */
	read_of("span-of-frames-and-exempt", out, sizeof(out));
	assert_non_null(strstr(out, "33.3%  mirror-l2\n"));
	assert_non_null(strstr(out, "33.3%  -\n"));
	/* What does not fit into one filter has a command line of its own. */
	read_of("many-streams", out, sizeof(out));
	assert_non_null(strstr(out, "Left out: 4 destinations"));
	assert_non_null(strstr(out, "at least 400 packets:\n  xdp-dedup replay "));
	o = survey_run_json("", path);
	rest = member(member(o, "advice"), "rest");
	assert_int_equal(number(rest, "drops"), 400);
	options = json_object_get_string(member(rest, "options"));
	assert_non_null(strstr(out, options));
	survey_compare_replay(rest, path);
	json_object_put(o);
	read_of("feed-of-many-ports", out, sizeof(out));
	assert_non_null(strstr(out, "Left out: 1 feeds that have more ports or addresses"));
	/* A file that is cut: what was read until there counts, and the exit status is 1. */
	read_of("moldudp64-feeds", out, sizeof(out));
	sh("truncate -s -3 %s", path);
	assert_int_equal(run_text(out, sizeof(out), path, ""), 1);
	assert_non_null(strstr(out, "9949 packets"));
}

TEST(one_timestamp_for_all_is_noted)
{
	const char *path = survey_file("relays");
	char out[8192];

	for (int one = 0; one < 2; one++) {
		assert_int_equal(run_text(out, sizeof(out), path, ""), 0);
		assert_non_null(strstr(out, "packets can be dropped"));
		assert_int_equal(!!strstr(out, "All packets have one timestamp."), one);
		survey_of("relays");
		for (uint32_t i = 0; i < survey_made.cnt; i++)
			survey_made.list[i].ns = survey_made.list[0].ns;
		traffic_write(&survey_made, path);
	}
}

int main(void)
{
	add_own_tests(NULL, NULL);
	add_rows(ROWS, survey_recommends, NULL, NULL);
	return run_added_any_tests("survey");
}
