// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* One stream, one receiver, as the tool's users meet it: which interfaces go together, what load
 * takes for granted, what status shows when that is no longer so; and all this with real packets.
 */
#include "e2e_runner.h"
#include "cli_runner.h"

#define EVENTS 200

static const struct cli_script SCRIPTS[] = {
	{ "device-and-its-macvlan-are-refused",
	  "ip link add m0 link v0 group 7 type macvlan\n"
	  "fails 'm0 is on top of v0' $XD load v0 p0 m0 --port 80; clean\n"
	  "ip link add t0 link v0 group 7 type macvtap\n"
	  "fails 't0 is on top of v0' $XD load t0 v0 --port 80; clean\n"
	  "ip link del m0; ip link del t0\n" },
	{ "apart-they-go-together",
	  "$XD load v0 p0 b0 --port 80; $XD unload v0 p0 b0\n"
	  "ip link set v0 master b0; ip link add b1 group 7 type bridge; ip link set p0 master b1\n"
	  "$XD load b0 p0 --port 80; got $XD status; lacks warning; $XD unload b0 p0\n"
	  "$XD load v0 b1 --port 80; got $XD status; lacks warning; $XD unload v0 b1\n"
	  "ip link del b1\n" },
	{ "stacked-later-status-says-so",
	  "$XD load v0 b0 --port 80; got $XD status; lacks warning\n"
	  "got sh -c \"$XD status v0 --json | jq -c .stacked\"; is '[]'\n"
	  "ip link set v0 master b0; got $XD status\n"
	  "has '  warning     b0 is on top of v0: packets meet the filter twice'\n"
	  "got $XD status v0 --json; has '\"upper\": \"b0\",\n      \"lower\": \"v0\"'\n"
	  "ip link set v0 nomaster; got $XD status; lacks 'on top of v0'; $XD unload --all\n" },
	{ "stacked-later-one-is-to-go",
	  "$XD load v0 b0 --port 80; $XD save v0 /mnt/snapshot; ip link set v0 master b0\n"
	  "for what in 'set v0 --action count' 'resize v0 --fpr 1e-5'\\\n"
	  "	'load --replace --name v0 --window 1h' 'restore v0 /mnt/snapshot'; do\n"
	  "	fails 'b0 is on top of v0: a packet would meet the filter twice' $XD $what; done\n"
	  "got $XD status v0 --json; has '\"action\": \"drop\"'; [ \"$(ls $PINS)\" = v0 ]; runs "
	  "b0\n"
	  "$XD set v0 --remove b0; idle b0; runs v0; $XD set v0 --action count; $XD unload v0\n"
	  "$XD load b0 --port 80\n"
	  "fails 'b0 is on top of v0 and runs XDP' $XD load v0 --port 80; idle v0\n" },
	{ "changed-macs-status-says-so-until-refreshed", LOAD
	  "; got $XD status v0; lacks warning\n"
	  "ip link set v0 address 02:00:00:00:00:77; got $XD status v0\n"
	  "has '  warning     the MACs of v0 or of what is on top of it have changed: xdp-dedup "
	  "refresh v0'\n"
	  "got $XD status v0 --json; has '\"macs_changed\": [\n    \"v0\"\n  ]'\n"
	  "$XD refresh v0; got $XD status v0; lacks warning\n"
	  /* A bridge without a MAC of its own takes its port's. */
	  "ip link set v0 master b0; got $XD status v0; lacks warning\n"
	  "ip link set b0 address 02:00:00:00:00:78; got $XD status v0; has 'have changed'\n"
	  "$XD refresh; got $XD status v0; lacks warning\n"
	  "ip link set v0 nomaster; got $XD status v0; has 'have changed'\n"
	  "$XD refresh v0; got $XD status v0; lacks warning\n" },
	{ "with-forwarded-macs-do-not-matter",
	  LOAD " --forwarded; ip link set v0 address 02:00:00:00:00:77; got $XD status v0\n"
	       "lacks warning; has '\n  frames      for any host\n'\n"
	       "got $XD status v0 --json; has '\"forwarded\": true'\n" },
	{ "refresh-of-nothing",
	  "$XD refresh; fails 'no filter v0; xdp-dedup status lists' $XD refresh v0\n" },
	{ "refresh-of-several",
	  "$XD load v0 p0 --port 80; ip link set p0 address 02:00:00:00:00:79; got $XD status\n"
	  "has 'the MACs of p0 or'; lacks 'the MACs of v0 or'; $XD refresh v0\n"
	  "got $XD status; lacks warning\n" },
	/* One of them has another index there, as its own is taken. */
	{ "refresh-where-interfaces-have-moved",
	  "far; " LOAD "\n"
	  "ip link set v0 netns $far; there ip link set v0 address 02:00:00:00:00:77\n"
	  "got there $XD status v0; has 'have changed: xdp-dedup refresh v0'; there $XD refresh\n"
	  "got there $XD status v0; lacks warning; has 'interfaces  v0 (native)\n'\n"
	  "got $XD status v0; has 'interfaces  v0 (other netns)\n'; there $XD unload v0; clean\n"
	  "$XD load p0 b0 --port 80\n"
	  "there ip link add w0 index $(cat /sys/class/net/p0/ifindex) type bridge\n"
	  /* So that there it does not get the index that b0 has here. */
	  "n=0 k=0; until [ $k -gt $(cat /sys/class/net/b0/ifindex) ]; do\n"
	  "	there ip link add y$((n += 1)) type bridge\n"
	  "	k=$(there ip -o link show y$n | cut -d: -f1); done\n"
	  "ip link set p0 netns $far; got there $XD status p0; has 'have changed'\n"
	  "there $XD refresh p0; got there $XD status p0; lacks warning; has 'b0 (other netns)'\n"
	  "got $XD status p0; has 'p0 (other netns)'; lacks warning; $XD refresh\n"
	  "got there $XD status p0; lacks warning\n"
	  "$XD unload b0; there $XD unload p0; clean; kill $far\n" },
	/* There it gets the index that the other one has here: of a filter that delivers, which
	 * knows queues by it, only one of them can be.
	 */
	{ "moved-to-the-index-of-another",
	  "far\n"
	  "last=$(cat /sys/class/net/*/ifindex | sort -n | tail -n 1); n=0; k=0\n"
	  "until [ $k -gt $last ]; do there ip link add y$((n += 1)) type bridge\n"
	  "	k=$(there ip -o link show y$n | cut -d: -f1); done; k=$((k + 1))\n"
	  "ip link add z0 index $k group 7 type bridge\n"
	  "$XD load p0 z0 --port 80 --deliver xsk; ip link set p0 netns $far\n"
	  "[ $(there ip -o link show p0 | cut -d: -f1) = $k ]\n"
	  "got $XD status p0; has 'z0 has the index of p0 in another network'; got there $XD status p0\n"
	  "has 'warning     p0 has the index of z0 in another network namespace: '\n"
	  "there $XD status p0 --json >/mnt/j; [ $(jq -r .same_index /mnt/j) = p0 ]\n"
	  "there $XD unload p0; got $XD status p0; lacks warning; $XD unload z0; clean\n"
	  /* One that keeps its index is not its own twin. */
	  "there ip link set p0 netns $$; for i in $(seq $n); do there ip link del y$i; done\n"
	  "index=$(cat /sys/class/net/v0/ifindex); $XD load v0 z0 --port 80 --deliver xsk\n"
	  "ip link set v0 netns $far; [ $(there ip -o link show v0 | cut -d: -f1) = $index ]\n"
	  "got there $XD status v0; lacks 'the index'\n"
	  "there $XD refresh v0; there $XD unload v0; $XD unload z0; clean; ip link del z0\n"
	  "kill $far\n" },
	{ "destinations-are-shown",
	  LOAD " --to 10.1.2.3/8,fd00::/8,10.0.0.1; got $XD status v0\n"
	       "has '\n  only to     10.0.0.0/8,10.0.0.1,fd00::/8\n'\n"
	       "got $XD status v0 --json; has '\"10.0.0.0\\/8\"'; has '\"forwarded\": false'\n" },
	{ "vlans-are-shown-and-may-be-set",
	  "ethtool -K v0 rxvlan off; got " LOAD " --vlan 10,20-29,none; lacks 'VLAN tags off'\n"
	  "got $XD status v0; has '\n  only VLANs  none,10,20-29\n'\n"
	  "vlans() { $XD status v0 --json | jq -c .vlans; }\n"
	  "[ \"$(vlans)\" = '[[0,0],[10,10],[20,29]]' ]\n"
	  "$XD set v0 --action count; [ \"$(vlans)\" = '[[0,0],[10,10],[20,29]]' ]\n"
	  "$XD set v0 --vlan 7; [ \"$(vlans)\" = '[[7,7]]' ]\n"
	  "$XD set v0 --profile payload:5004; [ \"$(vlans)\" = '[[7,7]]' ]\n"
	  "$XD set v0 --vlan none; [ \"$(vlans)\" = '[[0,0]]' ]\n"
	  "$XD resize v0 --capacity 2k; [ \"$(vlans)\" = '[[0,0]]' ]\n"
	  "$XD set v0 --vlan any; [ \"$(vlans)\" = '[]' ]; got $XD status v0; lacks VLANs\n"
	  "$XD unload v0\n" },
	{ "status-advises-on-tags-and-mtu",
	  "advice() { $XD status $1 --json | jq -r '.advice[].key | select(. != \"behind\")'; }\n"
	  "ip tuntap add dev t0 mode tap; $XD load t0 --port 80; [ -z \"$(advice t0)\" ]\n"
	  "ip link set t0 mtu 9000; case $(uname -r) in 6.1.*) ;; *) [ \"$(advice t0)\" = mtu ];; "
	  "esac\n"
	  "ip link set t0 mtu 1500; [ -z \"$(advice t0)\" ]; $XD unload t0; ip link del t0\n"
	  "ip link set v0 mtu 9000; ethtool -K v0 rxvlan on; " LOAD "; [ -z \"$(advice v0)\" ]\n"
	  "$XD unload v0; " LOAD " --vlan 10; [ $(advice v0) = tags ]\n"
	  "ethtool -K v0 rxvlan off; [ -z \"$(advice v0)\" ]\n" },
	{ "an-interface-that-forwards-is-told-so",
	  "echo 1 >/proc/sys/net/ipv6/conf/all/forwarding; got " LOAD "; has 'this host forwards'\n"
	  "$XD unload v0; echo 0 >/proc/sys/net/ipv6/conf/all/forwarding\n"
	  "got " LOAD "; lacks note; $XD unload v0\n"
	  "echo 1 >/proc/sys/net/ipv4/conf/p0/forwarding; got " LOAD "; lacks note; $XD unload v0\n"
	  "echo 1 >/proc/sys/net/ipv4/conf/b0/forwarding; got " LOAD "; lacks note; $XD unload v0\n"
	  "ip link set v0 master b0; got " LOAD "; has 'this host forwards'; $XD unload v0\n"
	  "echo 0 >/proc/sys/net/ipv4/conf/b0/forwarding; got " LOAD "; lacks note; $XD unload v0\n"
	  "echo 1 >/proc/sys/net/ipv4/conf/v0/forwarding; got " LOAD "; has 'this host forwards'\n" },
	{ "an-interface-that-forwards-ipv6-is-told-so",
	  "f=/proc/sys/net/ipv6/conf/v0/force_forwarding; [ -e $f ] || exit 0\n" /* Linux 6.17 */
	  "got " LOAD "; lacks note; $XD unload v0; echo 1 >$f\n"
	  "got " LOAD "; has 'this host forwards'; $XD unload v0\n" },
	{ "what-a-lower-device-merges-is-refused",
	  "ip link set v0 master b0; ethtool -K v0 gro on rx-udp-gro-forwarding on\n"
	  "fails 'v0 merges UDP packets before b0, on top of it, sees them' $XD load b0 --port 80\n"
	  "clean; $XD load p0 --port 80; exits 1 $XD set p0 --add b0; has 'v0 merges'; idle b0\n"
	  "fails 'v0 merges' $XD load --replace --name p0 p0 b0; idle b0; $XD unload p0\n"
	  "$XD load v0 --port 80; $XD unload v0; ethtool -K v0 rx-udp-gro-forwarding off\n"
	  "$XD load b0 --port 80; got $XD status b0; lacks warning\n"
	  "ethtool -K v0 rx-gro-list on; got $XD status b0\n"
	  "has '  warning     v0 merges UDP packets before b0 sees them'\n"
	  "got $XD status b0 --json; has '\"upper\": \"b0\"'; $XD unload b0\n"
	  "fails 'v0 merges' $XD load b0 --port 80 --mode skb; ethtool -K v0 gro off\n"
	  "$XD load b0 --port 80\n" },
};

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
	add_rows(SCRIPTS, cli_run_script, cli_setup, cli_teardown);
	add_own_tests(e2e_setup, teardown);
	return run_added_tests("receivers");
}
