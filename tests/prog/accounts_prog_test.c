// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the packet program in the kernel notes of the paths of numbered sources, against the plain
 * model of accounts_test; and what the hand copies of it for bpftool. A path is a stream on an
 * interface: two streams of one realm, on several interfaces.
 */
#include "support.h"

#include <net/if.h>
#include <pthread.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "account_copy.h"
#include "account_feed.h"
#include "accounts.h"
#include "engine.h"
#include "hand.h"
#include "kernel.h"
#include "loader.h"
#include "packet.h"
#include "plan.h"
#include "profile.h"
#include "secrets.h"
#include "slow_path.h"
#include "stream_numbers.h"
#include "stream_runner.h"
#include "xdp_dedup.skel.h"

#define S 1000000000ULL
#define STREAMS 2
#define PORT 9000 /* of the first stream */
#define INTERFACES 5
#define SENDERS 2
#define OWNERS 16   /* one after another */
#define SOURCE_AT 0 /* in the payload */
#define NUMBER_AT 4
#define COUNT_AT 12
#define PAYLOAD 16

static struct {
	struct filter filter;
	struct xdp_dedup *prog;
	uint32_t ifindexes[INTERFACES];
	uint64_t paths[DEDUP_PATHS_MAX + 1];
	uint32_t bytes;	  /* of a number */
	uint32_t action;  /* on the last packet */
	uint32_t sources; /* for how many senders there is room; 0: SENDERS */
	bool delivers;	  /* by AF_XDP; but no socket is open */
	struct account_feed feeds[OWNERS];
} run;

static int add_interfaces(void **state)
{
	char name[IF_NAMESIZE];

	(void)state;
	for (int i = 0; i < INTERFACES; i++) {
		snprintf(name, sizeof(name), "pa%d", i);
		if (i % 2 == 0)
			sh("ip link add pa%d type veth peer name pa%d", i, i + 1);
		run.ifindexes[i] = if_nametoindex(name);
		assert_int_not_equal(run.ifindexes[i], 0);
	}
	return 0;
}

static int remove_interfaces(void **state)
{
	(void)state;
	for (int i = 0; i < INTERFACES; i += 2)
		sh("ip link del pa%d", i);
	return 0;
}

static void plan(const struct account_kind *kind, struct dedup_config *cfg)
{
	struct filter_spec spec = { .capacity = 100,
				    .fpr_e18 = SPEC_FPR(1e-3),
				    .window_ns = S,
				    .sources = run.sources ?: SENDERS,
				    .paths = kind->paths,
				    .deliver = run.delivers };
	struct profiles all = { 0 };
	struct profile_error err;
	char text[256], name[8], ports[8];

	snprintf(text, sizeof(text),
		 "[profile a]\nlayer = udp\nsource = payload+%d:4\n%s\ncount = payload+%d:2\n",
		 SOURCE_AT, kind->keys, COUNT_AT);
	assert_int_equal(profiles_parse(&all, text, strlen(text), PROFILE_GIVEN, &err), 0);
	for (int n = 0; n < STREAMS; n++) {
		snprintf(name, sizeof(name), "s%d", n);
		snprintf(ports, sizeof(ports), "%d", PORT + n);
		stream_add(&spec, &all,
			   &(struct stream_wish){ .profile = "a", .name = name, .ports = ports });
	}
	profiles_free(&all);
	assert_int_equal(plan_silently(&spec, cfg), 0);
	assert_int_equal(cfg->sources.paths, kind->paths);
	cfg->memory.replay = 1;
	plan_set_jiffies(cfg, S / DEDUP_REPLAY_JIFFY_NS);
	cfg->memory.stale_jiffies = 1ULL << 62;
	assert_int_equal(sscanf(kind->keys, "sequence = payload+4:%u", &run.bytes), 1);
}

/* drop_ns: duplicates are dropped for this time only; 0: for ever. */
static void start_for(const struct account_kind *kind, uint64_t drop_ns)
{
	static const uint8_t MAC[6] = FRAME_MAC;
	struct dedup_config cfg;

	plan(kind, &cfg);
	cfg.asked.drop_ns = drop_ns;
	if (drop_ns)
		cfg.policy.action = DEDUP_DROP_FOR;
	assert_int_equal(secrets_set(NULL, &cfg), 0);
	assert_int_equal(loader_private_open(&cfg, &run.filter, &run.prog), 0);
	dedup_hand_start(run.filter.state, &cfg, S);
	engine_set_mac(&cfg, MAC, run.filter.record);
	for (uint32_t i = 0; i < ARRAY_SIZE(run.paths); i++)
		run.paths[i] = dedup_path_key(run.filter.config->policy.streams[i % STREAMS].slot,
					      run.ifindexes[i / STREAMS]);
}

static void start(const struct account_kind *kind)
{
	start_for(kind, 0);
}

static void finish(void)
{
	loader_private_close(&run.filter, run.prog);
}

static void build(struct frame *f, const struct account_packet *p, uint32_t sender)
{
	uint32_t payload, stream = (uint32_t)(p->path >> 32) - 1;

	frame_build(f, &(struct frame_plan){ .body = PAYLOAD + p->cnt }, &NO_ID);
	for (uint32_t n = 0; n < STREAMS; n++)
		if (run.filter.config->policy.streams[n].slot == stream)
			frame_put(f, f->udp + 2, 2, PORT + n);
	payload = f->udp + 8;
	frame_put(f, payload + SOURCE_AT, 4, 1000 + sender);
	for (uint32_t i = 0; i < run.bytes; i++)
		f->data[payload + NUMBER_AT + i] = p->number >> 8 * (run.bytes - 1 - i);
	frame_put(f, payload + COUNT_AT, 2, p->cnt);
}

static void judge(void *arg, const struct account_packet *p)
{
	static struct frame f;
	static uint8_t out[FRAME_MAX];
	struct xdp_md ctx = { .ingress_ifindex = (uint32_t)p->path };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = f.data, .data_out = out,
		    .data_size_out = sizeof(out), .ctx_in = &ctx, .ctx_size_in = sizeof(ctx));

	build(&f, p, (struct account_feed *)arg - run.feeds);
	opts.data_size_in = ctx.data_end = f.len;
	*(volatile __u64 *)&run.filter.state->replay_ns = p->ns;
	assert_return_code(bpf_prog_test_run_opts(loader_private_prog_fd(run.prog), &opts), errno);
	assert_true(opts.retval == XDP_PASS || opts.retval == XDP_DROP);
	run.action = opts.retval;
}

static void begin_feed(const struct account_kind *kind, uint32_t sender, uint64_t seed)
{
	struct account_feed *f = &run.feeds[sender];

	*f = (struct account_feed){ .kind = kind, .paths = run.paths, .judge = judge, .arg = f };
	f->model = model_account_open(&run.filter, sender, 0);
	account_feed_begin(f, seed);
}

/* An entry of the map `accounts`: this path of the source, as accounts_read() has it. */
static void check_copy(const struct source_figures *s, uint32_t path)
{
	static const struct path_figures NO_PATH;
	const struct path_figures *p = path < s->paths_cnt ? &s->paths[path] : &NO_PATH;
	uint32_t at = s->source * run.filter.config->sources.paths + path;
	struct dedup_path_account is, expected;

	assert_return_code(bpf_map_lookup_elem(bpf_map__fd(run.prog->maps.accounts), &at, &is),
			   errno);
	memset(&expected, 0, sizeof(expected)); /* also what has no name */
	expected.path = p->counted;
	expected.ifindex = p->ifindex;
	if (path < s->paths_cnt) {
		expected.messages = s->messages;
		expected.restarts = s->restarts;
		expected.other_packets = s->others;
		expected.jumped = s->jumped;
		expected.since_ns = s->since_ns;
		memcpy(expected.stream, run.filter.config->policy.streams[p->stream].name,
		       sizeof(expected.stream));
		memcpy(expected.source, s->id.word, sizeof(expected.source));
	}
	assert_memory_equal(&is, &expected, sizeof(is));
}

/* The hand passes all sources. */
static void pass_sources(void)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int hand = bpf_program__fd(run.prog->progs.hand_replay);

	for (int i = 0; i < DEDUP_HAND_ROUND_STEPS; i++)
		assert_return_code(bpf_prog_test_run_opts(hand, &opts), errno);
}

/* The hand copies all accounts. */
static void check_copies(void)
{
	pass_sources();
	for (uint32_t i = 0; i < SENDERS; i++) {
		struct source_figures s = { 0 };

		if (!accounts_read(&run.filter, i, &s))
			s = (struct source_figures){ .source = i };
		for (uint32_t path = 0; path < run.filter.config->sources.paths; path++)
			check_copy(&s, path);
	}
}

/* The senders come in this order, so their sources have these numbers. Returns how many packets came. */
static uint64_t random_feeds(const struct account_kind *kind, uint64_t seed, int steps)
{
	struct account_clock clock = { .ns = 77 * S,
				       .now = 77 * S / DEDUP_REPLAY_JIFFY_NS,
				       .jiffy_ns = DEDUP_REPLAY_JIFFY_NS };
	uint64_t packets = 0;

	start(kind);
	for (uint32_t i = 0; i < SENDERS; i++) {
		begin_feed(kind, i, seed + i);
		while (!run.feeds[i].judged)
			account_feed_step(&run.feeds[i], &clock, 0);
	}
	for (int step = 1; step < steps; step++)
		account_feed_step(&run.feeds[random_next(&seed) % SENDERS], &clock, step);
	for (uint32_t i = 0; i < SENDERS; i++) {
		model_account_compare(run.feeds[i].model, steps);
		model_account_close(run.feeds[i].model);
		packets += run.feeds[i].judged;
	}
	check_copies();
	finish();
	return packets;
}

static void equals_a_model_memory(void **state)
{
	uint64_t packets = 0;

	for (uint64_t seed = 1; seed <= tries(1, 5); seed++)
		packets += random_feeds(*state, seed, (int)environment_number("STEPS", 4000));
	print_message("%" PRIu64 " packets\n", packets);
}

/* Has the hand free the memory of all sources, and gives the first one to another sender, as its
 * first packet does before it is noted.
 */
static void give_slot(void)
{
	const struct dedup_config *c = run.filter.config;
	struct dedup_state *st = run.filter.state;
	struct dedup_source_key key = { .era = st->sources_era + 1 };
	struct dedup_packet_numbers p = { .first = 1000, .count = 1 };

	st->sources_era++;
	pass_sources(); /* it takes them out */
	st->replay_ns += S;
	pass_sources();
	p.now = st->replay_ns / DEDUP_REPLAY_JIFFY_NS;
	assert_int_equal(dedup_begin_slot(&c->sources, &c->numbered[0].recovery, run.filter.blocks,
					  0, &key, &p),
			 0);
}

/* What the memory has of an earlier sender is not the next one's. */
TEST(copies_only_what_was_noted)
{
	struct account_clock clock = { .ns = 77 * S,
				       .now = 77 * S / DEDUP_REPLAY_JIFFY_NS,
				       .jiffy_ns = DEDUP_REPLAY_JIFFY_NS };

	start(&ACCOUNT_KINDS[0]);
	begin_feed(&ACCOUNT_KINDS[0], 0, 1);
	while (run.feeds[0].judged < 10)
		account_feed_step(&run.feeds[0], &clock, 0);
	model_account_close(run.feeds[0].model);
	check_copies();
	give_slot();
	check_copies();
	finish();
}

/* The lock of the first source's account: an odd version. */
static __u64 *lock(void)
{
	const struct dedup_sources *t = &run.filter.config->sources;

	return &run.filter.blocks[dedup_slot_block(t, 0) + t->account].word[DEDUP_ACCOUNT(version)];
}

/* A message of the first sender comes on this path. */
static void come(uint64_t number, uint32_t path, uint32_t action)
{
	judge(&run.feeds[0], &(struct account_packet){ .path = run.paths[path],
						       .number = number,
						       .cnt = 1,
						       .ns = 77 * S + number * 1000 });
	assert_int_equal(run.action, action);
}

/* Another CPU has the lock, and does not go on. A path begins with the first packet that is noted. */
TEST(what_cannot_be_noted)
{
	struct source_figures s;

	start(&ACCOUNT_KINDS[0]);
	come(1, 0, XDP_PASS);
	*lock() += 1;
	come(2, 0, XDP_PASS);
	come(3, 0, XDP_PASS);
	come(2, 1, XDP_DROP);
	*lock() += 1;
	come(3, 1, XDP_DROP);
	come(4, 0, XDP_PASS);
	assert_true(accounts_read(&run.filter, 0, &s));
	assert_int_equal(s.messages, 4);
	assert_int_equal(s.paths_cnt, 2);
	assert_int_equal(s.paths[0].counted.packets, 2);
	assert_int_equal(s.paths[0].counted.unnoted, 2);
	assert_int_equal(s.paths[0].missing, 2);
	assert_int_equal(s.paths[1].counted.packets, 1);
	assert_int_equal(s.paths[1].counted.unnoted, 0);
	assert_int_equal(s.paths[1].missing, 0);
	check_copies();
	finish();
}

/* Numbers need no hand. But it is the hand that ends the time for which duplicates are dropped. */
TEST(numbers_go_on_without_the_hand)
{
	start(&ACCOUNT_KINDS[0]);
	run.filter.state->stale_at = 0;
	come(1, 0, XDP_PASS);
	come(1, 1, XDP_DROP);
	finish();
	start_for(&ACCOUNT_KINDS[0], 1000 * S);
	run.filter.state->stale_at = INT64_MAX;
	come(1, 0, XDP_PASS);
	come(1, 1, XDP_DROP);
	run.filter.state->stale_at = 0;
	come(2, 0, XDP_PASS);
	come(2, 1, XDP_PASS);
	come(1, 1, XDP_PASS);
	finish();
}

#define ROUNDS 10

/* The locks of all buckets become this. */
static void set_bucket_locks(__u64 value)
{
	const struct dedup_sources *t = &run.filter.config->sources;

	for (uint32_t i = 0; i < t->buckets; i += DEDUP_BUCKET_BLOCKS)
		__atomic_store_n(&run.filter.blocks[t->first + i].word[DEDUP_ENTRIES], value,
				 __ATOMIC_SEQ_CST);
}

static void *release_buckets(void *arg)
{
	(void)arg;
	usleep(3000);
	set_bucket_locks(0);
	return NULL;
}

/* Another CPU has a bucket's lock, and is stopped for some ms: the first packet of a new sender
 * waits, and is learned.
 */
TEST(first_packet_waits_for_its_bucket)
{
	bool is_learned = false;
	pthread_t thread;

	for (int i = 0; i < ROUNDS && !is_learned; i++) {
		start(&ACCOUNT_KINDS[0]);
		set_bucket_locks(1);
		assert_int_equal(pthread_create(&thread, NULL, release_buckets, NULL), 0);
		come(1, 0, XDP_PASS);
		assert_int_equal(pthread_join(thread, NULL), 0);
		is_learned = numbers_sources(&run.filter);
		come(1, 1, is_learned ? XDP_DROP : XDP_PASS);
		finish();
	}
	assert_true(is_learned); /* the machine may be busy, but not always */
}

/* The bucket's entry of the only source. */
static __u64 *only_entry(void)
{
	const struct dedup_sources *t = &run.filter.config->sources;

	for (uint32_t i = 0; i < t->buckets; i++)
		for (uint32_t k = 0; k < DEDUP_ENTRIES; k++)
			if (run.filter.blocks[t->first + i].word[k])
				return &run.filter.blocks[t->first + i].word[k];
	fail();
	return NULL;
}

static struct {
	__u64 *at, value;
} taken_out;

static void *put_back(void *arg)
{
	(void)arg;
	usleep(3000);
	__atomic_store_n(taken_out.at, taken_out.value, __ATOMIC_SEQ_CST);
	return NULL;
}

/* The hand has the bucket's lock and has taken the sender out. It puts it back while a packet waits
 * for the lock, and keeps the lock for longer than the packet waits. So the packet finds no room,
 * and passes unlearned; but there is an account by then, which has it.
 */
TEST(unlearned_packet_is_noted)
{
	struct source_figures s;
	bool is_noted = false;
	pthread_t thread;

	for (int i = 0; i < ROUNDS && !is_noted; i++) {
		start(&ACCOUNT_KINDS[0]);
		come(1, 0, XDP_PASS);
		come(1, 1, XDP_DROP);
		taken_out.at = only_entry();
		taken_out.value = *taken_out.at;
		set_bucket_locks(1);
		*taken_out.at = 0;
		assert_int_equal(pthread_create(&thread, NULL, put_back, NULL), 0);
		come(2, 0, XDP_PASS);
		assert_int_equal(pthread_join(thread, NULL), 0);
		set_bucket_locks(0);
		assert_true(accounts_read(&run.filter, 0, &s));
		judge(&run.feeds[0],
		      &(struct account_packet){
			      .path = run.paths[1], .number = 2, .cnt = 1, .ns = 78 * S });
		is_noted = run.action == XDP_PASS && s.paths[0].counted.packets == 2;
		finish();
	}
	assert_true(is_noted); /* the machine may be busy, but not always */
}

#define LAG 3 /* by how many numbers the second path is behind */
#define AT_EASE 40
#define GIVE_UP 50 /* seconds */

/* The next sender's packet, and the one of LAG numbers before, on the other path. Is it learned? */
static bool come_of(uint32_t owner, uint64_t number, uint64_t ns)
{
	uint32_t path = owner % 2;
	struct account_packet p = { .path = run.paths[path], .number = number, .cnt = 1, .ns = ns };
	uint32_t first;

	judge(&run.feeds[owner], &p);
	first = run.action;
	assert_int_equal(first, XDP_PASS);
	p.number -= LAG;
	p.path = run.paths[!path];
	judge(&run.feeds[owner], &p);
	return run.action == XDP_DROP;
}

/* Room for one sender. The next one begins while the one before has it, so that its first packets
 * pass unlearned; in whatever state they find the table, its account has no message as lost.
 */
TEST(owners_change)
{
	uint64_t number = 0, ns = 77 * S;
	struct source_figures s;

	run.sources = 1;
	start(&ACCOUNT_KINDS[0]);
	for (uint32_t owner = 0; owner < OWNERS; owner++) {
		uint64_t first = ++number;
		bool is_learned = false;

		for (int wait = 0; !is_learned; wait++, ns += S) {
			assert_true(wait < GIVE_UP);
			is_learned = come_of(owner, number + LAG, ns) && number > first;
			number++;
			run.filter.state->replay_ns = ns;
			pass_sources();
		}
		for (uint64_t end = number + AT_EASE; number < end; number++, ns += 1000)
			assert_true(come_of(owner, number + LAG, ns));
		assert_true(accounts_read(&run.filter, 0, &s));
		assert_int_equal(s.lost, 0);
		assert_int_equal(s.restarts, 0);
		assert_true(s.messages > AT_EASE);
		for (uint32_t i = 0; i < s.paths_cnt; i++)
			assert_true(s.paths[i].missing <= LAG);
	}
	finish();
	run.sources = 0;
}

static struct {
	__u64 *lock;
	bool ends;
} other;

/* Another CPU takes the lock again and again, and is stopped while it has it. */
static void *take_lock(void *arg)
{
	uint64_t seed = 1, is;

	(void)arg;
	while (!READ_ONCE(other.ends)) {
		do
			is = READ_ONCE(*other.lock) & ~1ULL;
		while (!__sync_bool_compare_and_swap(other.lock, is, is + 1));
		usleep(100 + random_next(&seed) % 400);
		__sync_fetch_and_add(other.lock, 1);
		usleep(random_next(&seed) % 20);
	}
	return NULL;
}

/* How many packets have been noted. All the others must have been counted. */
static uint64_t noted(uint64_t packets)
{
	struct source_figures s;

	assert_true(accounts_read(&run.filter, 0, &s));
	assert_int_equal(s.paths[0].counted.packets + s.paths[0].counted.unnoted, packets);
	return s.paths[0].counted.packets;
}

/* Most of these packets are noted, if both CPUs go on for long enough. */
TEST(waits_for_the_lock)
{
	uint64_t number = 1, before, packets = 300 * tries(1, 5);
	bool has_waited = false;
	pthread_t thread;

	start(&ACCOUNT_KINDS[0]);
	come(number++, 0, XDP_PASS);
	for (int i = 0; i < ROUNDS && !has_waited; i++) {
		before = noted(number - 1);
		other.lock = lock();
		other.ends = false;
		assert_int_equal(pthread_create(&thread, NULL, take_lock, NULL), 0);
		for (uint64_t k = 0; k < packets; k++)
			come(number++, 0, XDP_PASS);
		WRITE_ONCE(other.ends, true);
		assert_int_equal(pthread_join(thread, NULL), 0);
		has_waited = noted(number - 1) - before > packets / 2;
	}
	assert_true(has_waited); /* the machine may be busy, but not always */
	finish();
}

/* Without a socket. */

/* Does what the packet program does when a socket takes a packet of the first sender. */
static void take(uint64_t number)
{
	const struct dedup_config *c = run.filter.config;
	struct dedup_source_key key = { .words = 1, .id.word[0] = htonl(1000) };
	struct dedup_packet_numbers p = { .first = number,
					  .now = run.filter.state->replay_ns / DEDUP_REPLAY_JIFFY_NS,
					  .count = 1 };

	dedup_source_of_realm(&key, c, c->policy.streams[0].realm_key, run.filter.state->sources_era);
	assert_int_equal(dedup_see_source(&c->sources, &c->numbered[0].recovery, run.filter.blocks,
					  &key, &p),
			 DEDUP_FRESH);
}

static void start_without_socket(bool is_slow)
{
	run.delivers = true;
	start(&ACCOUNT_KINDS[0]);
	run.delivers = false;
	if (is_slow)
		run.filter.state->stale_at |= DEDUP_SLOW_PATH;
	run.filter.state->replay_ns = 77 * S;
	take(1);
}

/* A packet that no socket takes is not learned, but its path has brought it. */
static void note_untaken(bool is_slow)
{
	const struct path_figures *a, *b;
	struct source_figures s;

	start_without_socket(is_slow);
	come(1, 0, XDP_DROP);
	come(2, 0, XDP_PASS);
	come(2, 1, XDP_PASS);
	come(2, 0, XDP_PASS);
	come(3, 1, XDP_PASS);
	take(3);
	come(3, 0, XDP_DROP);
	come(5, 0, XDP_PASS);
	assert_true(accounts_read(&run.filter, 0, &s));
	assert_int_equal(s.messages, 5);
	assert_int_equal(s.missing, 1);
	assert_int_equal(s.paths_cnt, 2);
	a = &s.paths[0];
	b = &s.paths[1];
	assert_true(a->counted.packets == 5 && b->counted.packets == 2);
	assert_true(a->counted.received == 4 && b->counted.received == 2);
	assert_true(a->counted.first == 3 && b->counted.first == 1);
	assert_true(a->counted.repeated == 1 && b->counted.repeated == 0);
	assert_true(a->missing == 1 && b->missing == 0);
	assert_true(a->behind == 0 && b->behind == 2);
	check_copies();
	finish();
}

TEST(untaken_packets_are_noted)
{
	note_untaken(false);
	note_untaken(true);
}

static struct {
	uint64_t ns;   /* of a jiffy, and of the next one */
	uint32_t ends; /* gcc's check of a bool would read it once, before the loop */
} clock_between;

/* The clock goes from one jiffy to the next one, and back, as fast as it can. */
static void *change_clock(void *arg)
{
	(void)arg;
	while (!READ_ONCE(clock_between.ends)) {
		WRITE_ONCE(run.filter.state->replay_ns, READ_ONCE(clock_between.ns));
		WRITE_ONCE(run.filter.state->replay_ns,
			   READ_ONCE(clock_between.ns) + DEDUP_REPLAY_JIFFY_NS);
	}
	return NULL;
}

/* A sender has been silent for as long as its numbers are known, and not a jiffy longer. While one
 * of them is judged, a jiffy ends: it is a duplicate, or it is untaken and nothing is learned. Goes
 * on until both have happened.
 */
static void end_silence(bool is_slow)
{
	uint64_t packets = 5000 * tries(1, 5), seen = 0, dropped = 0;
	struct dedup_source *source;
	pthread_t thread;
	__u64 near;

	start_without_socket(is_slow);
	source = (struct dedup_source *)&run.filter.blocks[run.filter.config->sources.slots];
	near = source->near;
	clock_between.ends = false;
	clock_between.ns = 77 * S;
	assert_int_equal(pthread_create(&thread, NULL, change_clock, NULL), 0);
	for (; seen < packets || dropped == 0 || dropped == seen; seen++) {
		uint64_t ns = ((source->last << 1 >> 1) +
			       run.filter.config->numbered[0].recovery.reset_jiffies) *
			      DEDUP_REPLAY_JIFFY_NS;

		WRITE_ONCE(clock_between.ns, ns);
		judge(&run.feeds[0], &(struct account_packet){
					     .path = run.paths[0], .number = 1, .cnt = 1, .ns = ns });
		dropped += run.action == XDP_DROP;
		if (source->near != near)
			break;
	}
	WRITE_ONCE(clock_between.ends, true);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(source->near, near);
	finish();
}

TEST(silence_ends_meanwhile)
{
	end_silence(false);
	end_silence(true);
}

int main(void)
{
	kernel_output(false);
	add_own_tests(add_interfaces, remove_interfaces);
	for (uint32_t i = 0; i < ACCOUNT_KINDS_CNT; i++)
		add_test(ACCOUNT_KINDS[i].name, equals_a_model_memory, add_interfaces,
			 remove_interfaces, &ACCOUNT_KINDS[i]);
	return run_added_tests("accounts_prog");
}
