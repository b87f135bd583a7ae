// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is advised: a sentence for each thing that is wrong, and nothing of a filter that keeps what
 * it promises.
 */
#include "unit.h"

#include "advice.h"
#include "options.h"
#include "sim.h"
#include "units.h"

#define MS 1000000ULL
#define S (1000 * MS)

static struct dedup_config config, streams, numbers, both;
static struct advice list[ADVICE_MAX];

/* A filter for 1000 ids in 10 s. */
static const struct row {
	const char *name;
	struct advice_reading r; /* config NULL: config */
	const char *keys;	 /* all that is list, in this order */
	const char *words;	 /* in the first one */
} ROWS[] = {
	{ "fresh", { 0 }, "", NULL },
	{ "busy",
	  { .total = { .rx = 100000, .new = 9000, .duplicate = 91000 },
	    .recent = { .rx = 10000, .new = 900, .duplicate = 9100 },
	    .pace = { 1000, 9 * S } },
	  "",
	  NULL },
	{ "stopped",
	  { .stopped = true, .recent = { .rx = 5000, .stale = 5000 } },
	  "stopped",
	  "xdp-dedup unload --name eth0" },
	{ "detached",
	  { .detached = "eth1" },
	  "detached",
	  "nothing is filtered on eth1: somebody has detached the program" },
	{ "detached-is-why-it-is-unseen",
	  { .detached = "eth1", .unseen = "eth1" },
	  "detached",
	  "xdp-dedup set eth0 --add eth1 attaches it anew" },
	{ "held-up", { .recent = { .rx = 5000, .stale = 50 } }, "held_up", "1 % of the packets" },
	{ "held-up-once", { .recent = { .rx = 5000, .stale = 49 } }, "", NULL },
	{ "held-up-of-few", { .recent = { .rx = 999, .stale = 500 } }, "", NULL },
	{ "window-shortens",
	  { .total = { .early = 1 }, .pace = { 1001, 4 * S } },
	  "window_shortens",
	  "1.00k ids came within 4s, so they are forgotten after that instead of 10s, and later "
	  "copies "
	  "pass: xdp-dedup resize eth0 --capacity 5.1k; or, with the memory that it has, --window "
	  "1s" },
	{ "window-shortens-while-a-predecessor-is-asked",
	  { .total = { .early = 1 }, .pace = { 1500, 5 * S }, .uses_predecessor = true },
	  "window_shortens",
	  "resize eth0 --capacity 6k --wait;" },
	{ "as-many-as-it-has-room-for", { .pace = { 1000, 10 * S }, .total = { .early = 1 } }, "", NULL },
	{ "somewhat-early", { .pace = { 1008, 9500 * MS }, .total = { .early = 1 } }, "", NULL },
	/* The hand has written the time of a mark, and not yet its ids. */
	{ "half-of-a-mark",
	  { .total = { .early = 1 }, .pace = { 1000000000000, 1 } },
	  "window_shortens",
	  "--capacity 1000000000G" },
	{ "rotated", { .pace = { 1000, 1 * MS } }, "", NULL },
	{ "rotated-after-an-overload", { .pace = { 500, 1 * MS }, .total = { .early = 1 } }, "", NULL },
	{ "too-small",
	  { .recent = { .rx = 5000, .new = 900, .unlearned = 100 }, .pace = { 900, 1 * S } },
	  "too_small",
	  "for 10 % of the fresh ids there was no room, and their copies pass; more come "
	  "than 1.00k in 10s: xdp-dedup resize eth0 --capacity 20k; or, with the memory that "
	  "it has, --window 500ms" },
	{ "too-small-for-its-senders",
	  { .config = &numbers, .recent = { .rx = 5000, .new = 900, .unlearned = 100 } },
	  "too_small",
	  "for 10 % of the fresh packets there was no room, and their copies pass; there are more "
	  "than 600000 senders: xdp-dedup resize eth0 --sources 1048576" },
	{ "too-small-for-its-senders-or-its-ids",
	  { .config = &both,
	    .recent = { .new = 900, .unlearned = 100 },
	    .pace = { 900, 1 * S },
	    .uses_predecessor = true },
	  "too_small",
	  "--window 500ms; or, if they are of more than 100 senders of numbered streams, xdp-dedup "
	  "resize eth0 --sources 200 --wait" },
	{ "too-small-says-it-once",
	  { .recent = { .new = 900, .unlearned = 100 }, .pace = { 1010, 1 * S } },
	  "too_small",
	  "10 %" },
	{ "nothing-learned",
	  { .recent = { .unlearned = 5000 }, .pace = { 0, 1 * S } },
	  "too_small",
	  "resize eth0 --capacity 2k; or, with the memory that it has, --window 5s" },
	{ "few-unlearned", { .recent = { .new = 10, .unlearned = 99 } }, "", NULL },
	{ "a-small-part-unlearned", { .recent = { .new = 1000000, .unlearned = 900 } }, "", NULL },
	{ "macs",
	  { .macs_changed = "eth1", .total = { .rx = 1000, .ignored = 1000 } },
	  "macs_changed",
	  "eth1 or of what is on top of it have changed, and frames to the new ones pass as "
	  "ignored: "
	  "xdp-dedup refresh eth0" },
	{ "wrong-port",
	  { .total = { .rx = 1000, .ignored = 1000 } },
	  "all_ignored",
	  "none of 1.00k packets is to UDP port 8001 of this host, all pass as ignored: look where "
	  "they go "
	  "(tcpdump -ne udp), then xdp-dedup set eth0 --port PORTS; or --forwarded" },
	{ "wrong-stream",
	  { .config = &streams, .total = { .rx = 1000, .ignored = 1000 } },
	  "all_ignored",
	  "then xdp-dedup set eth0 --profile PROFILE:PORTS" },
	{ "few-packets", { .total = { .rx = 999, .ignored = 999 } }, "", NULL },
	{ "one-of-ours", { .total = { .rx = 100000, .ignored = 99999, .new = 1 } }, "", NULL },
	{ "another-protocol",
	  { .recent = { .rx = 3000,
			.ignored = 1000,
			.bad_magic = 1700,
			.bad_type = 40,
			.bad_count = 40,
			.bad_length = 40,
			.new = 180 } },
	  "not_gsp",
	  "91 % of the packets to port 8001 are not GSP/1, and pass: another protocol needs its "
	  "profile (xdp-dedup profile list), as in xdp-dedup set eth0 --profile PROFILE:8001" },
	{ "some-of-another-protocol",
	  { .recent = { .rx = 2000, .bad_magic = 1700, .new = 300 } },
	  "",
	  NULL },
	{ "skb",
	  { .skb = "eth1", .skb_native = 1 },
	  "skb_mode",
	  "eth1 runs it in skb mode, so the kernel has made an skb of each packet before it is "
	  "dropped, "
	  "which saves less: its driver has native XDP; load it there again with --mode native" },
	{ "skb-for-want-of-native", { .skb = "eth1" }, "skb_mode", "its driver has no native XDP" },
	{ "skb-for-whatever-reason", { .skb = "eth1", .skb_native = -2 }, "skb_mode", "xdp-dedup check" },
	{ "lost-behind", { .behind = "join it" }, "behind", "join it" },
	{ "full-buffer",
	  { .total = { .new = 10000 },
	    .full = "x (7)",
	    .full_dropped = 10,
	    .full_buffer = 212992,
	    .full_port = 80 },
	  "full_buffer",
	  "x (7) has lost 10 messages in the full buffer of its socket on UDP port 80, and the filter "
	  "drops their copies: SO_RCVBUF above 213 kB" },
	{ "hardly-full-buffer", { .total = { .new = 10001 }, .full = "x", .full_dropped = 10 }, "", NULL },
	{ "driver-forgot",
	  { .unseen = "eth1" },
	  "unseen",
	  "eth1 receives packets that the filter does not see, so all of them pass: its driver has "
	  "lost the program, as some do when the link goes down or an option of the NIC changes; "
	  "xdp-dedup load --replace --name eth0 attaches it anew" },
	{ "mtu-of-a-driver-without-frags",
	  { .mtu = "eth1", .mtu_max = 3046 },
	  "mtu",
	  "eth1 has an MTU above 3046, for which its driver has no native XDP: it may lose every "
	  "larger packet; ip link set dev eth1 mtu 3046; for a larger one unload eth0 first, and load it afterwards" },
	{ "tags-are-taken-off",
	  { .strips = "eth1" },
	  "tags",
	  "eth1 takes VLAN tags off before the filter sees frames" },
	{ "delivered",
	  { .recent = { .rx = 9000, .delivered = 8900, .no_socket = 89, .no_room = 99 },
	    .unread = "eth1" },
	  "",
	  NULL },
	{ "nobody-reads",
	  { .recent = { .no_socket = 100, .delivered = 9900 }, .unread = "eth1" },
	  "no_socket",
	  "fresh packets go to the stack, as no application has an AF_XDP socket for them: start "
	  "the one that calls xdp_dedup_receive_open(); or, if there is none, xdp-dedup set eth0 "
	  "--deliver stack" },
	{ "one-queue-unread",
	  { .recent = { .no_socket = 100, .delivered = 900 },
	    .readers = 3,
	    .unread = "eth1",
	    .unread_queue = 2 },
	  "no_socket",
	  "10 % of the fresh packets went to the stack, as their queue had no AF_XDP socket: "
	  "nobody "
	  "reads queue 2 of eth1; the application needs a socket for each queue (ethtool -l "
	  "eth1)" },
	{ "all-queues-read-by-now", { .recent = { .no_socket = 5000 }, .readers = 4 }, "", NULL },
	{ "a-small-part-unread", { .recent = { .no_socket = 100, .delivered = 9901 } }, "", NULL },
	{ "few-unread", { .recent = { .no_socket = 99 } }, "", NULL },
	{ "reader-is-behind",
	  { .recent = { .no_room = 100, .delivered = 9900 }, .readers = 1 },
	  "no_room",
	  "1 % of the fresh packets went to the stack, as all frames of their AF_XDP socket were "
	  "taken" },
	{ "reader-is-somewhat-behind", { .recent = { .no_room = 100, .delivered = 9901 } }, "", NULL },
	{ "jumbo-frames",
	  { .recent = { .too_large = 500, .delivered = 500 } },
	  "too_large",
	  "50 % of the fresh packets went to the stack, as they were larger than a frame" },
	{ "some-jumbo-frames", { .recent = { .too_large = 100, .delivered = 9901 } }, "", NULL },
	{ "all-at-once",
	  { .skb = "eth1",
	    .stopped = true,
	    .unseen = "eth1",
	    .macs_changed = "eth1",
	    .pace = { 2000, 1 * S },
	    .recent = { .rx = 9000, .stale = 9000 },
	    .total = { .rx = 9000, .ignored = 9000, .early = 1 } },
	  "stopped unseen window_shortens macs_changed skb_mode",
	  NULL },
};

TEST_ROWS(is_said, ROWS)
{
	struct advice_reading r = row->r;
	char keys[256] = "";
	int cnt;

	r.name = "eth0";
	r.config = r.config ?: &config;
	cnt = advice_of(&r, list);
	for (int i = 0; i < cnt; i++)
		snprintf(keys + strlen(keys), sizeof(keys) - strlen(keys), "%s%s", i ? " " : "",
			 list[i].key);
	assert_string_equal(keys, row->keys);
	if (row->words && !strstr(list[0].text, row->words))
		fail_msg("it says: %s", list[0].text);
}

/* The command takes the size and the window that are advised, whatever they are. */
TEST(sizes_are_taken)
{
	uint64_t seed = 1;

	for (int i = 0; i < 20000; i++) {
		struct dedup_config c = config;
		struct advice_reading r = { .name = "eth0", .config = &c };
		uint64_t capacity, window;
		char *at, *end;

		r.total.early = 1;
		c.memory.capacity = 1 + (random_next(&seed) >> (24 + random_next(&seed) % 40));
		c.memory.window_ns = SPEC_WINDOW_MIN_NS + random_next(&seed) % SPEC_WINDOW_MAX_NS;
		r.pace.ids = c.memory.capacity + 1 + random_next(&seed) % c.memory.capacity;
		r.pace.age_ns = 1 + random_next(&seed) % (c.memory.window_ns / 2);
		assert_int_equal(advice_of(&r, list), 1);
		at = strstr(list[0].text, "--capacity ");
		assert_non_null(at);
		end = strchr(at, ';');
		if (end) {
			*end = '\0';
			end = strstr(end + 1, "--window ");
			assert_non_null(end);
			assert_int_equal(parse_time(end + strlen("--window "), &window), 0);
			assert_true(window >= SPEC_WINDOW_MIN_NS && window < c.memory.window_ns);
			/* It keeps pace with what came. */
			assert_true((double)r.pace.ids / r.pace.age_ns * window <= c.memory.capacity);
		}
		assert_int_equal(parse_count(at + strlen("--capacity "), &capacity), 0);
		assert_true(capacity >= 1.99 * r.pace.ids * c.memory.window_ns / r.pace.age_ns);
		assert_true(capacity <= 2.3 * r.pace.ids * c.memory.window_ns / r.pace.age_ns + 1);
	}
}

/* Ids as many as are promised room, in bursts or evenly, in each layout: nothing is list, ever. */
TEST(within_its_promises_nothing_is_said)
{
	uint64_t seed = 7;

	for (int n = 0; n < 30; n++) {
		struct filter_spec spec = sim_spec(200 + random_next(&seed) % 2000, 1e-3, S);
		uint64_t bursts = 1 + random_next(&seed) % 50, quota, came = 0;
		struct advice_reading r = { .name = "sim" };
		struct sim s;

		spec.layout = n % 3;
		sim_start(&s, &spec, random_next(&seed));
		r.config = &s.config;
		quota = spec.capacity / bursts;
		for (uint64_t i = 0; i < 5 * bursts; i++) {
			/* At most `bursts` of these in any window: one more would be too many. */
			for (uint64_t k = 0; k < quota; k++, came++) {
				uint64_t id[4] = { random_next(&seed), random_next(&seed), 0, 1 };
				int result = sim_learn(&s, id);

				r.total.rx++;
				r.total.new += !result;
				r.total.duplicate += result == 1;
				r.total.unlearned += result < 0;
			}
			for (int part = 0; part < 4; part++) {
				sim_run_until(&s, s.now_ns + (S / bursts + 1 * MS) / 4);
				r.pace = stats_pace(&s.config, &s.state, 0, s.now_ns);
				r.total.early = s.state.early;
				r.recent = r.total;
				if (advice_of(&r, list))
					fail_msg("layout %d, %ju ids, %ju bursts: %s", n % 3,
						 (uintmax_t)spec.capacity, (uintmax_t)bursts,
						 list[0].text);
			}
		}
		assert_true(came > spec.capacity);
		sim_stop(&s);
	}
}

/* Twice as many ids as there is room for: each layout gets that advice, and no longer once it is as
 * large as advised.
 */
TEST(what_is_advised_helps)
{
	uint64_t seed = 3;

	for (int layout = 0; layout < 3; layout++) {
		uint64_t capacity = 1000;

		for (int again = 0; again < 2; again++) {
			struct filter_spec spec = sim_spec(capacity, 1e-3, S);
			struct advice_reading r = { .name = "sim" };
			int times = 0;
			struct sim s;

			spec.layout = layout;
			sim_start(&s, &spec, 9);
			r.config = &s.config;
			for (int i = 0; i < 600; i++) {
				for (int k = 0; k < 20; k++) {
					uint64_t id[4] = { random_next(&seed), 1, 2, 3 };

					sim_learn(&s, id);
				}
				sim_run_until(&s, s.now_ns + S / 100);
				r.pace = stats_pace(&s.config, &s.state, 0, s.now_ns);
				r.total.early = s.state.early;
				if (i < 200 || !advice_of(&r, list))
					continue;
				assert_string_equal(list[0].key, "window_shortens");
				times++;
				*strchr(list[0].text, ';') = '\0';
				assert_int_equal(parse_count(strstr(list[0].text, "--capacity ") + 11,
							     &capacity),
						 0);
				assert_in_range(capacity, 3000, 5000);
			}
			if (again ? times : times < 20)
				fail_msg("layout %d: said %d times", layout, times);
			sim_stop(&s);
		}
	}
}

int main(void)
{
	config = streams = (struct dedup_config){ .memory.capacity = 1000,
						  .memory.window_ns = 10 * S,
						  .policy.ports_cnt = 1,
						  .policy.ports = { { 8001, 8001 } } };
	config.policy.streams_cnt = streams.policy.streams_cnt = 1;
	config.policy.entry = DEDUP_ENTRY_GSP;
	numbers = both = streams;
	both.policy.streams_cnt = 2;
	numbers.numbered[0].width = both.numbered[1].width = 16;
	numbers.sources.sources = 600000;
	both.sources.sources = 100;
	add_own_tests(NULL, NULL);
	return run_added_any_tests("advice");
}
