// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Delivery through AF_XDP by chance: readers are killed, stand still, are slow or away, and the
 * filter changes, while events come in one to four copies. An event of which a copy comes while the
 * reader keeps up has been read by then, whatever became of its earlier copies; and it was read
 * once if it came at such times only. SEED=N repeats a case, CASES=N tries more.
 */
#include "reader_process.h"

#include "await.h"
#include "output.h"

#define EVENTS 3000
#define COPIES_MAX 4
#define SPREAD 600 /* packets between two copies of an event, at most */
#define BURST_MAX 48
#define FRAMES_MIN 64
_Static_assert(BURST_MAX < FRAMES_MIN, "a reader that has read all has room for a burst");

struct copy {
	uint64_t at;
	uint32_t event;
};

/* The reader, as it is now. */
enum weather {
	CALM,  /* it reads all of a burst before the next one */
	HASTY, /* it reads, but is not waited for */
	SLOW,
	HOLDS, /* its ring fills up */
	AWAY,
	WEATHERS,
};

static struct run {
	uint64_t chance;
	enum weather weather;
	pid_t pid;		      /* 0: there is no reader */
	uint64_t delivered, returned; /* when it began */
	uint32_t sent, kills, changes;
	struct gossip_sender *s;
	bool was_stormy[EVENTS]; /* a copy came while the reader did not keep up */
	bool was_calm[EVENTS];	 /* the last copy came while it did */
	uint32_t calm_bursts;
} run;

static uint64_t by_chance(uint64_t below)
{
	return random_next(&run.chance) % below;
}

static int by_time(const void *a, const void *b)
{
	uint64_t x = ((const struct copy *)a)->at, y = ((const struct copy *)b)->at;

	return x < y ? -1 : x > y;
}

/* One to four copies of each event, in the order in which they are sent. */
static uint32_t *make_order(uint32_t *cnt)
{
	struct copy *all = calloc(EVENTS * COPIES_MAX, sizeof(*all));
	uint32_t *order = calloc(EVENTS * COPIES_MAX, sizeof(*order));

	assert_true(all && order);
	*cnt = 0;
	for (uint32_t i = 0; i < EVENTS; i++)
		for (uint64_t copies = 1 + by_chance(COPIES_MAX); copies; copies--)
			all[(*cnt)++] = (struct copy){ 2 * i + by_chance(SPREAD), i };
	qsort(all, *cnt, sizeof(*all), by_time);
	for (uint32_t i = 0; i < *cnt; i++)
		order[i] = all[i].event;
	free(all);
	return order;
}

static void begin_reader(void)
{
	const uint32_t frames = FRAMES_MIN << by_chance(3);
	struct reader_ends ends;

	readers->holds = 0;
	readers->pause_us = 0;
	run.pid = reader_start(be_reader, &frames, 0, &ends);
	reader_forget(&ends);
	run.delivered = e2e_counters_after(APP_NAME, run.sent).delivered;
	run.returned = readers->returned;
}

static void end_reader(void)
{
	if (!run.pid)
		return;
	reader_kill(run.pid);
	run.pid = 0;
	run.kills++;
}

/* Waits until the reader has given back all that it was given. */
static void await_reader(void)
{
	uint64_t delivered = e2e_counters_after(APP_NAME, run.sent).delivered - run.delivered;

	AWAIT(READ_ONCE(readers->returned) - run.returned == delivered);
}

static void set_weather(enum weather weather)
{
	if (weather == AWAY)
		end_reader();
	else if (!run.pid)
		begin_reader();
	WRITE_ONCE(readers->holds, weather == HOLDS);
	WRITE_ONCE(readers->pause_us, weather == SLOW ? 20000 : 0);
	if (weather == CALM)
		await_reader();
	run.weather = weather;
}

static void change_filter(void)
{
	static const char *const SETS[] = { "set ve0 --ihave pass", "set ve0 --ihave drop",
					    "load --replace --name ve0" };

	if (run.changes++)
		e2e_tool("%s", SETS[by_chance(ARRAY_SIZE(SETS))]);
	else /* another one would have to wait for two windows */
		e2e_tool("resize ve0 --capacity %d%s", 50000 + (int)by_chance(100000),
			 by_chance(2) ? " --layout flat" : "");
}

static void change_something(void)
{
	switch (by_chance(20)) {
	case 0:
		end_reader(); /* perhaps with packets in its ring */
		set_weather(by_chance(2) ? CALM : HASTY);
		break;
	case 1:
		change_filter();
		break;
	case 2 ... 5:
		set_weather(by_chance(WEATHERS));
		break;
	case 6 ... 8:
		set_weather(CALM);
		break;
	}
}

static void send_burst(const uint32_t *events, uint32_t cnt)
{
	struct filter_counters before = { 0 }, after;

	if (run.weather == CALM)
		before = e2e_counters_after(APP_NAME, run.sent);
	assert_return_code(gossip_send(run.s, events, cnt), EIO);
	run.sent += cnt;
	for (uint32_t i = 0; i < cnt; i++) {
		run.was_calm[events[i]] = run.weather == CALM;
		run.was_stormy[events[i]] |= run.weather != CALM;
	}
	gossip_receive(app.udp, 0);
	if (run.weather != CALM)
		return;
	await_reader();
	after = e2e_counters(APP_NAME);
	assert_int_equal(after.untaken, before.untaken);
	run.calm_bursts++;
	for (uint32_t i = 0; i < cnt; i++)
		if (!readers->copies[events[i]])
			fail_msg("event %u has not been read, though the reader keeps up", events[i]);
}

/* How often events came, and when. */
static void count_events(struct filter_counters c, uint64_t seed)
{
	uint32_t missing = 0, later = 0, calm_twice = 0, stack_twice = 0, read_twice = 0, both = 0;

	for (uint32_t i = 0; i < EVENTS; i++) {
		uint32_t read = readers->copies[i], passed = app.udp->copies[i];

		missing += !read && !passed;
		later += !read && run.was_calm[i];
		calm_twice += !run.was_stormy[i] && read + passed != 1;
		read_twice += read > 1;
		stack_twice += !read && passed > 1;
		both += read && passed;
	}
	print_message(
		"# seed %lu: %u packets of %u events, %u kills, %u changes; %u calm bursts; untaken %llu "
		"(no socket %llu, no room %llu); in rings of dead readers %lu, of these without a later copy %u\n",
		seed, run.sent, EVENTS, run.kills, run.changes, run.calm_bursts, c.untaken,
		c.no_socket, c.no_room, readers->recovered, missing);
	print_message("# twice: %u by the stack alone, %u by the stack and then by AF_XDP, %u by AF_XDP; with a "
		      "reader that keeps up %u\n",
		      stack_twice, both, read_twice, calm_twice);
	assert_int_equal(later, 0);
	assert_int_equal(calm_twice, 0);
	assert_true(missing <= readers->recovered);
	assert_true(read_twice <=
		    run.kills * 16 * COPIES_MAX); /* a batch each, read but not given back */
	assert_int_equal(readers->forgotten, 0);
	assert_int_equal(c.new + c.wanted + c.untaken, c.delivered + c.no_socket + c.no_room);
}

static void try_case(uint64_t seed)
{
	uint32_t *order, cnt;

	run = (struct run){ .chance = seed };
	order = make_order(&cnt);
	reader_begin_counts(EVENTS);
	app.udp = e2e_receiver(0, AF_INET, seed, EVENTS);
	run.s = e2e_sender(0, AF_INET, seed);
	e2e_load("load ve0 --fpr 1e-9 --capacity 100k --deliver xsk%s",
		 by_chance(3) ? "" : " --layout flat");
	run.weather = AWAY;
	while (run.sent < cnt) {
		uint32_t burst = 1 + by_chance(BURST_MAX);

		change_something();
		send_burst(order + run.sent, burst < cnt - run.sent ? burst : cnt - run.sent);
	}
	set_weather(CALM);
	gossip_receive(app.udp, 0);
	count_events(e2e_counters_after(APP_NAME, run.sent), seed);
	end_reader();
	e2e_tool("unload ve0");
	e2e_close(run.s, app.udp);
	reader_end_counts();
	free(order);
}

TEST(random_readers)
{
	const char *seed = getenv("SEED"), *cases = getenv("CASES");
	uint64_t first = seed ? strtoull(seed, NULL, 10) : gossip_now_ns();
	uint32_t cnt = seed ? 1 : cases ? strtoul(cases, NULL, 10) : tries(3, 20);

	for (uint32_t i = 0; i < cnt; i++)
		try_case(first + i);
}

int main(void)
{
	add_own_tests(app_setup, app_teardown);
	return run_added_tests("receive_random");
}
