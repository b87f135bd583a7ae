// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is advised: a sentence for each thing that is wrong, and nothing of a filter that keeps what
 * it promises.
 */
#include "unit.h"

#include "advice.h"
#include "sim.h"
#include "units.h"

#define MS 1000000ULL
#define S (1000 * MS)

static struct dedup_config config, streams, numbers, both;
static struct advice list[ADVICE_MAX];

/* A filter for 1000 ids in 10 s. */
static const struct row {
	const char *name;
	const char *keys;	 /* of all advice, in this order */
	const char *words;	 /* in the first one */
	struct advice_reading r; /* config NULL: config */
} ROWS[] = {
	{ "fresh", .keys = "" },
	{ "busy", "", .r.total.rx = 100000, .r.total.new = 9000, .r.total.duplicate = 91000,
	  .r.recent.rx = 10000, .r.recent.new = 900, .r.recent.duplicate = 9100, .r.pace.ids = 1000,
	  .r.pace.age_ns = 9 * S },
	{ "stopped", "stopped", "xdp-dedup unload --name eth0", .r.stopped = true,
	  .r.recent.rx = 5000, .r.recent.stale = 5000 },
	{ "detached", "detached", "nothing is filtered on eth1: somebody has detached the program",
	  .r.detached = "eth1" },
	{ "detached-is-why-it-is-unseen", "detached",
	  "xdp-dedup set eth0 --add eth1 attaches it anew", .r.detached = "eth1", .r.unseen = "eth1" },
	{ "held-up", "held_up", "1 % of the packets", .r.recent.rx = 5000, .r.recent.stale = 50 },
	{ "held-up-once", "", .r.recent.rx = 5000, .r.recent.stale = 49 },
	{ "held-up-of-few", "", .r.recent.rx = 999, .r.recent.stale = 500 },
	{ "window-shortens", "window_shortens",
	  "1.00k ids came within 4s, so they are forgotten after that instead of 10s, and later "
	  "copies "
	  "pass: xdp-dedup resize eth0 --capacity 5.1k; or, with the memory that it has, --window "
	  "1s",
	  .r.total.early = 1, .r.pace.ids = 1001, .r.pace.age_ns = 4 * S },
	{ "window-shortens-while-a-predecessor-is-asked", "window_shortens",
	  "resize eth0 --capacity 6k --wait;", .r.total.early = 1, .r.pace.ids = 1500,
	  .r.pace.age_ns = 5 * S, .r.uses_predecessor = true },
	{ "as-many-as-it-has-room-for", "", .r.pace.ids = 1000, .r.pace.age_ns = 10 * S,
	  .r.total.early = 1 },
	{ "somewhat-early", "", .r.pace.ids = 1008, .r.pace.age_ns = 9500 * MS, .r.total.early = 1 },
	/* The hand has written the time of a mark, and not yet its ids. */
	{ "half-of-a-mark", "window_shortens", "--capacity 1000000000G", .r.total.early = 1,
	  .r.pace.ids = 1000000000000, .r.pace.age_ns = 1 },
	{ "rotated", "", .r.pace.ids = 1000, .r.pace.age_ns = 1 * MS },
	{ "rotated-after-an-overload", "", .r.pace.ids = 500, .r.pace.age_ns = 1 * MS,
	  .r.total.early = 1 },
	{ "too-small", "too_small",
	  "for 10 % of the fresh ids there was no room, and their copies pass; more come "
	  "than 1.00k in 10s: xdp-dedup resize eth0 --capacity 20k; or, with the memory that "
	  "it has, --window 500ms",
	  .r.recent.rx = 5000, .r.recent.new = 900, .r.recent.unlearned = 100, .r.pace.ids = 900,
	  .r.pace.age_ns = 1 * S },
	{ "too-small-for-its-senders", "too_small",
	  "for 10 % of the fresh packets there was no room, and their copies pass; there are more "
	  "than 600000 senders: xdp-dedup resize eth0 --sources 1048576",
	  .r.config = &numbers, .r.recent.rx = 5000, .r.recent.new = 900, .r.recent.unlearned = 100 },
	{ "too-small-for-its-senders-or-its-ids", "too_small",
	  "--window 500ms; or, if they are of more than 100 senders of numbered streams, xdp-dedup "
	  "resize eth0 --sources 200 --wait",
	  .r.config = &both, .r.recent.new = 900, .r.recent.unlearned = 100, .r.pace.ids = 900,
	  .r.pace.age_ns = 1 * S, .r.uses_predecessor = true },
	{ "misread", "misread too_small", "60 % of the packets have numbers that do not go on",
	  .r.config = &numbers, .r.recent.far_number = 700, .r.recent.bad_count = 400,
	  .r.recent.unlearned = 100, .r.recent.new = 500, .r.recent.duplicate = 200,
	  .r.recent.late_number = 100 },
	{ "half-misread", "", .r.config = &numbers, .r.recent.far_number = 1000,
	  .r.recent.new = 900, .r.recent.duplicate = 100 },
	{ "few-misread", "", .r.config = &numbers, .r.recent.far_number = 999 },
	{ "far-numbers-beside-ids", "", .r.config = &both, .r.recent.far_number = 9999 },
	{ "too-small-says-it-once", "too_small", "10 %", .r.recent.new = 900,
	  .r.recent.unlearned = 100, .r.pace.ids = 1010, .r.pace.age_ns = 1 * S },
	{ "nothing-learned", "too_small",
	  "resize eth0 --capacity 2k; or, with the memory that it has, --window 5s",
	  .r.recent.unlearned = 5000, .r.pace.ids = 0, .r.pace.age_ns = 1 * S },
	{ "few-unlearned", "", .r.recent.new = 10, .r.recent.unlearned = 99 },
	{ "a-small-part-unlearned", "", .r.recent.new = 1000000, .r.recent.unlearned = 900 },
	{ "macs", "macs_changed",
	  "eth1 or of what is on top of it have changed, and frames to the new ones pass as "
	  "ignored: "
	  "xdp-dedup refresh eth0",
	  .r.macs_changed = "eth1", .r.total.rx = 1000, .r.total.ignored = 1000 },
	{ "wrong-port", "all_ignored",
	  "none of 1.00k packets is to UDP port 8001 of this host, all pass as ignored: look where "
	  "they go "
	  "(tcpdump -ne udp), then xdp-dedup set eth0 --port PORTS; or --forwarded",
	  .r.total.rx = 1000, .r.total.ignored = 1000 },
	{ "wrong-stream", "all_ignored", "then xdp-dedup set eth0 --profile PROFILE:PORTS",
	  .r.config = &streams, .r.total.rx = 1000, .r.total.ignored = 1000 },
	{ "few-packets", "", .r.total.rx = 999, .r.total.ignored = 999 },
	{ "one-of-ours", "", .r.total.rx = 100000, .r.total.ignored = 99999, .r.total.new = 1 },
	{ "another-protocol", "not_gsp",
	  "91 % of the packets to port 8001 are not GSP/1, and pass: another protocol needs its "
	  "profile (xdp-dedup profile list), as in xdp-dedup set eth0 --profile PROFILE:8001",
	  .r.recent.rx = 3000, .r.recent.ignored = 1000, .r.recent.bad_magic = 1700,
	  .r.recent.bad_type = 40, .r.recent.bad_count = 40, .r.recent.bad_length = 40,
	  .r.recent.new = 180 },
	{ "some-of-another-protocol", "", .r.recent.rx = 2000, .r.recent.bad_magic = 1700,
	  .r.recent.new = 300 },
	{ "skb", "skb_mode",
	  "eth1 runs it in skb mode, so the kernel has made an skb of each packet before it is "
	  "dropped, "
	  "which saves less: its driver has native XDP; load it there again with --mode native",
	  .r.skb = "eth1", .r.skb_native = 1 },
	{ "skb-for-want-of-native", "skb_mode", "its driver has no native XDP", .r.skb = "eth1" },
	{ "skb-for-whatever-reason", "skb_mode", "xdp-dedup check", .r.skb = "eth1",
	  .r.skb_native = -2 },
	{ "lost-behind", "behind", "join it", .r.behind = "join it" },
	{ "full-buffer", "full_buffer",
	  "a program has lost 10 messages in the full buffer of its socket on UDP port 80, and the filter "
	  "drops their copies: SO_RCVBUF above 213 kB",
	  .r.total.new = 10000, .r.full_inode = 1, .r.full_dropped = 10, .r.full_buffer = 212992,
	  .r.full_port = 80 },
	{ "hardly-full-buffer", "", .r.total.new = 10001, .r.full_inode = 1, .r.full_dropped = 10 },
	{ "driver-forgot", "unseen",
	  "eth1 receives packets that the filter does not see, so all of them pass: its driver has "
	  "lost the program, as some do when the link goes down or an option of the NIC changes; "
	  "xdp-dedup load --replace --name eth0 attaches it anew",
	  .r.unseen = "eth1" },
	{ "mtu-of-a-driver-without-frags", "mtu",
	  "eth1 has an MTU above 3046, for which its driver has no native XDP: it may lose every "
	  "larger packet; ip link set dev eth1 mtu 3046; for a larger one unload eth0 first, and load it afterwards",
	  .r.mtu = "eth1", .r.mtu_max = 3046 },
	{ "tags-are-taken-off", "tags", "eth1 takes VLAN tags off before the filter sees frames",
	  .r.strips = "eth1" },
	{ "delivered", "", .r.recent.rx = 9000, .r.recent.delivered = 8900,
	  .r.recent.no_socket = 89, .r.recent.no_room = 99, .r.unread = "eth1" },
	{ "nobody-reads", "no_socket",
	  "fresh packets go to the stack, as no application has an AF_XDP socket for them: start "
	  "the one that calls xdp_dedup_receive_open(); or, if there is none, xdp-dedup set eth0 "
	  "--deliver stack",
	  .r.recent.no_socket = 100, .r.recent.delivered = 9900, .r.unread = "eth1" },
	{ "one-queue-unread", "no_socket",
	  "10 % of the fresh packets went to the stack, as their queue had no AF_XDP socket: "
	  "nobody "
	  "reads queue 2 of eth1; the application needs a socket for each queue (ethtool -l "
	  "eth1)",
	  .r.recent.no_socket = 100, .r.recent.delivered = 900, .r.readers = 3, .r.unread = "eth1",
	  .r.unread_queue = 2 },
	{ "all-queues-read-by-now", "", .r.recent.no_socket = 5000, .r.readers = 4 },
	{ "a-small-part-unread", "", .r.recent.no_socket = 100, .r.recent.delivered = 9901 },
	{ "few-unread", "", .r.recent.no_socket = 99 },
	{ "reader-is-behind", "no_room",
	  "1 % of the fresh packets went to the stack, as all frames of their AF_XDP socket were "
	  "taken",
	  .r.recent.no_room = 100, .r.recent.delivered = 9900, .r.readers = 1 },
	{ "reader-is-somewhat-behind", "", .r.recent.no_room = 100, .r.recent.delivered = 9901 },
	{ "jumbo-frames", "too_large",
	  "50 % of the fresh packets went to the stack, as they were larger than a frame",
	  .r.recent.too_large = 500, .r.recent.delivered = 500 },
	{ "some-jumbo-frames", "", .r.recent.too_large = 100, .r.recent.delivered = 9901 },
	{ "all-at-once", "stopped unseen window_shortens macs_changed skb_mode", .r.skb = "eth1",
	  .r.stopped = true, .r.unseen = "eth1", .r.macs_changed = "eth1", .r.pace.ids = 2000,
	  .r.pace.age_ns = 1 * S, .r.recent.rx = 9000, .r.recent.stale = 9000, .r.total.rx = 9000,
	  .r.total.ignored = 9000, .r.total.early = 1 },
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
