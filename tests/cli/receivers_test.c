// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One stream, one receiver, as the tool's users meet it: which interfaces go together, what load
 * takes for granted, what status shows when that is no longer so; and all this with real packets.
 */
#include "e2e_runner.h"
#include "cli_runner.h"

#define EVENTS 200

/* With real packets. The far end of link 0 takes this MAC for the near one's. */
static void far_takes_for_near(const char *mac)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "ip neigh replace 10.77.0.1 lladdr %s dev pe0 nud permanent", mac);
	e2e_far_sh(command);
}

static int teardown(void **state)
{
	char out[512];

	sh_out(out, sizeof(out), "for i in mv0 vl0 bo0 br0; do ip link del $i; done");
	return e2e_teardown(state);
}

static void send_events(struct gossip_sender *s, uint64_t seed)
{
	uint32_t *order = gossip_shuffle(EVENTS, 2, 0, seed);
	int err = order ? gossip_send(s, order, 2 * EVENTS) : -ENOMEM;

	free(order);
	assert_return_code(err, -err);
}

/* Another host's copies come first, as a promiscuous interface sees them. */
TEST(frames_for_another_host_do_not_teach)
{
	uint64_t seed = gossip_now_ns();
	struct gossip_receiver *r = e2e_receiver(0, AF_INET, seed, EVENTS);
	struct gossip_sender *s = e2e_sender(0, AF_INET, seed);

	sh("ip link set ve0 promisc on");
	e2e_load("load ve0");
	far_takes_for_near("02:00:00:00:00:99");
	send_events(s, seed);
	for (int ms = 0; ms < PATIENCE_MS && e2e_counters("ve0").ignored < 2 * EVENTS; ms += 10)
		usleep(10000);
	far_takes_for_near("02:00:00:00:00:10");
	send_events(s, seed);
	e2e_counters_after("ve0", 2 * EVENTS);
	assert_return_code(gossip_receive(r, 50), EIO);
	assert_int_equal(gossip_delivered(r, 1), EVENTS);
	e2e_close(s, r);
}

TEST(its_mac_may_change)
{
	e2e_load("load ve0");
	e2e_assert_works(0);
	sh("ip link set ve0 address 02:00:00:00:00:41");
	far_takes_for_near("02:00:00:00:00:41");
	e2e_assert_unfiltered(0);
	e2e_tool("refresh ve0");
	e2e_assert_works(0);
}

TEST(frames_for_the_bridge_on_top_count)
{
	sh("ip link add br0 address 02:00:00:00:00:51 type bridge && ip addr flush dev ve0 &&"
	   " ip addr add 10.77.0.1/24 dev br0 && ip link set br0 up");
	e2e_load("load ve0");
	sh("ip link set ve0 master br0");
	far_takes_for_near("02:00:00:00:00:51");
	e2e_assert_unfiltered(0);
	e2e_tool("refresh");
	e2e_assert_works(0);
	sh("ip link set br0 address 02:00:00:00:00:52");
	far_takes_for_near("02:00:00:00:00:52");
	e2e_assert_unfiltered(0);
	e2e_tool("refresh");
	e2e_assert_works(0);
}

TEST(frames_for_a_macvlan_on_top_count)
{
	sh("ip link add mv0 link ve0 address 02:00:00:00:00:61 type macvlan &&"
	   " ip addr flush dev ve0 && ip addr add 10.77.0.1/24 dev mv0 && ip link set mv0 up");
	e2e_load("load ve0 ve1 --name both");
	far_takes_for_near("02:00:00:00:00:61");
	e2e_assert_works(0);
	e2e_assert_works(1);
}

TEST(with_forwarded_all_frames_count)
{
	e2e_load("load ve0 --forwarded");
	e2e_assert_works(0);
	sh("ip link set ve0 address 02:00:00:00:00:41");
	far_takes_for_near("02:00:00:00:00:41");
	e2e_assert_works(0);
}

TEST(only_named_destinations_count)
{
	e2e_load("load ve0 --to 10.77.0.2,fd77::/16");
	e2e_assert_unfiltered(0);
	e2e_tool("unload ve0");
	e2e_load("load ve0 --to 10.77.0.0/31");
	e2e_assert_works(0);
}

int main(void)
{
	cli_environment();
	add_cli_scripts("tests/cli/receivers");
	add_own_tests(e2e_setup, teardown);
	return run_added_tests("receivers");
}
