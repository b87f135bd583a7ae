// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The promises of the filter, on real packets between network namespaces. */
#include "e2e_runner.h"

#include "await.h"
#include "open.h"

/* Exactly once: many events in shuffled copies, several senders, two interfaces. */

#define ONCE_EVENTS 100000
#define ONCE_SENDERS 4
#define ONCE_COPIES 2 /* by each sender, of every event */
#define ONCE_FPR 1e-4

/* All senders at once, each in its own order; every other one over the other link. */
static void send_shuffled(int family, uint64_t seed)
{
	struct gossip_sender *s[ONCE_SENDERS];
	uint32_t *order[ONCE_SENDERS];

	for (int i = 0; i < ONCE_SENDERS; i++) {
		order[i] = gossip_shuffle(ONCE_EVENTS, ONCE_COPIES, 4 * ONCE_EVENTS, seed + i);
		assert_non_null(order[i]);
		s[i] = e2e_sender(i % E2E_LINKS, family, seed);
	}
	for (int i = 0; i < ONCE_SENDERS; i++)
		assert_return_code(gossip_sender_start(s[i], order[i], ONCE_EVENTS * ONCE_COPIES),
				   EAGAIN);
	for (int i = 0; i < ONCE_SENDERS; i++) {
		assert_return_code(gossip_sender_wait(s[i]), EIO);
		e2e_close(s[i], NULL);
		free(order[i]);
	}
}

static void exactly_once(int family)
{
	const uint64_t sent = (uint64_t)ONCE_EVENTS * ONCE_SENDERS * ONCE_COPIES;
	uint64_t seed = gossip_now_ns(), lost;
	struct gossip_receiver *r = e2e_receiver(-1, family, seed, ONCE_EVENTS);
	struct filter_counters c;

	e2e_load("load ve0 ve1 --name both --capacity 1M --fpr %g", ONCE_FPR);
	assert_return_code(gossip_receiver_start(r), EAGAIN);
	send_shuffled(family, seed);
	c = e2e_counters_after("both", sent);
	assert_return_code(gossip_receiver_stop(r, 50), EIO);

	assert_int_equal(gossip_receiver_lost(r), 0);
	assert_int_equal(r->strangers, 0);
	/* Never twice; not at all only by a false positive. */
	assert_int_equal(r->packets, r->distinct);
	lost = ONCE_EVENTS - r->distinct;
	assert_true(lost <= poisson_bound(ONCE_FPR * ONCE_EVENTS));
	/* The counters know it all. */
	assert_int_equal(c.new, r->distinct);
	assert_int_equal(c.duplicate, sent - r->distinct);
	assert_int_equal(c.dropped, c.duplicate);
	e2e_tool("unload --name both");
}

TEST(exactly_once_v4)
{
	exactly_once(AF_INET);
}

TEST(exactly_once_v6)
{
	exactly_once(AF_INET6);
}

/* However it is unloaded, a filter leaves nothing; and not before. */
TEST(unload_leaves_nothing)
{
	static const char *const WAYS[] = { "ve0 ve1", "ve1 ve0", "--name both", "--all" };

	e2e_assert_nothing_left();
	for (size_t i = 0; i < ARRAY_SIZE(WAYS); i++) {
		e2e_load("load ve0 ve1 --name both");
		e2e_assert_works(0);
		assert_int_equal(e2e_remember(), 12); /* eleven maps, a program */
		e2e_tool("unload %s", WAYS[i]);
		e2e_assert_nothing_left();
		e2e_assert_unfiltered(0);
		e2e_assert_unfiltered(1);
	}
}

/* Attaching and detaching under traffic: every fresh event is delivered. */

static void attach_and_detach(const char *mode)
{
	uint64_t sent;

	e2e_stream_start(0, 30000);
	for (int i = 0; i < 3; i++) {
		e2e_load("load ve0 --fpr 1e-9 --mode %s", mode);
		e2e_assert_works(0);
		usleep(50000);
		e2e_tool("unload ve0");
		e2e_assert_unfiltered(0);
		usleep(50000);
	}
	sent = e2e_stream_stop(0);
	assert_true(sent > 1000);
}

TEST(attach_loses_nothing_native)
{
	attach_and_detach("native");
}

TEST(attach_loses_nothing_skb)
{
	attach_and_detach("skb");
}

#define ID "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

/* Killed at any moment under traffic, what leaves a filter's program as it is loses no event. */
TEST(other_verbs_killed)
{
	static const char *const VERBS[] = { "rotate ve0", "reset ve0", "status ve0",
					     ("add ve0 " ID) };
	uint64_t seed = gossip_now_ns();
	struct filter f;
	char out[4096];

	e2e_load("load ve0 --fpr 1e-9");
	e2e_remember();
	e2e_stream_start(0, 2000);
	for (int i = 0; i < 60; i++)
		sh_out(out, sizeof(out), "timeout --foreground -s KILL 0.%06u %s %s",
		       1 + (uint32_t)(random_next(&seed) % 60000), tool(),
		       VERBS[i % ARRAY_SIZE(VERBS)]);
	/* What a killed rotate or reset asked for is still done; then the hand rests. */
	assert_return_code(filter_open("ve0", &f), EPROTO);
	AWAIT(READ_ONCE(f.state->passed) >= READ_ONCE(f.state->requested));
	filter_close(&f);
	e2e_tool("rotate ve0");
	e2e_tool("status ve0");
	e2e_assert_works(0);
	e2e_tool("unload ve0");
	assert_true(e2e_stream_stop(0) > 0);
	e2e_assert_nothing_left();
}

int main(void)
{
	add_own_tests(e2e_setup, e2e_teardown);
	return run_added_tests("e2e");
}
