// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The filter on a driver: on the NICs that IFACE names (tests/fixture/e2e/given_links.h), or on
 * veth. If a driver does not have a feature, the test of it counts as skipped.
 *
 * Environment: IFACE=NEAR,FAR[,NEAR,FAR]; RATE=N packets a second.
 */
#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/prctl.h>

#include "await.h"
#include "driver_runner.h"
#include "output.h"
#include "udp.h"

#define ADVICE_US 500000
#define LOAD "load ve0 --fpr 1e-9 "

/* Each row: a flood through the filter, a change of the NIC, and another flood. At the end, without
 * the filter, every copy must come.
 */
static const struct row {
	const char *name;
	const char *before; /* shell text, run before the filter is loaded */
	const char *load;   /* options */
	const char *after;  /* shell text, run while the filter is loaded */
	const char *back;   /* undoes `after`; then `after` is also tried without a filter first */
	const char *undo;   /* shell text, run at the end, for settings that the driver keeps */
	uint32_t more;	    /* bytes after each event, after `after` */
	const char *to;	    /* address */
} ROWS[] = {
	{ .name = "plain" },
	{ .name = "skb", .load = "--mode skb" },
	{ .name = "down-up", .after = "ip link set ve0 down; ip link set ve0 up" },
	{ .name = "rings",
	  .before = "ethtool -g ve0 >/dev/null",
	  .after = "n=$(ethtool -g ve0 | sed -n 's/^RX:[^0-9]*//p' | tail -n 1)\n"
		   "ethtool -G ve0 rx $((n / 2)) || ethtool -G ve0 rx $((n * 2))",
	  .undo = "n=$(ethtool -g ve0 | sed -n 's/^RX:[^0-9]*//p' | head -n 1)\n"
		  "ethtool -G ve0 rx $n || :" },
	{ .name = "queues",
	  .before = "[ $(ethtool -l ve0 | sed -n 's/^Combined:[^0-9]*//p' | head -n 1) -gt 1 ] || "
		    "{ echo it has one; false; }",
	  .after = "n=$(ethtool -l ve0 | sed -n 's/^Combined:[^0-9]*//p' | tail -n 1)\n"
		   "ethtool -L ve0 combined $((n > 1 ? 1 : 2))",
	  .undo = "n=$(ethtool -l ve0 | sed -n 's/^Combined:[^0-9]*//p' | head -n 1)\n"
		  "ethtool -L ve0 combined $((n > 2 ? 2 : n)) || :" },
	{ .name = "offloads",
	  .before = "ethtool -K ve0 rx on gro on",
	  .after = "ethtool -K ve0 rx off gro off; ethtool -K ve0 rx on gro on" },
	{ .name = "mtu-3000",
	  .before = "far ip link set pe0 mtu 9000; ip link set ve0 mtu 3000",
	  .more = 2600 },
	{ .name = "mtu-9000",
	  .before = "far ip link set pe0 mtu 9000; ip link set ve0 mtu 9000",
	  .more = 8600 },
	{ .name = "mtu-9000-skb",
	  .before = "far ip link set pe0 mtu 9000; ip link set ve0 mtu 9000",
	  .load = "--mode skb",
	  .more = 8600 },
	/* A driver may refuse the larger MTU, but must not accept it and then drop larger packets. */
	{ .name = "mtu-raised",
	  .before = "far ip link set pe0 mtu 9000",
	  .after = "ip link set ve0 mtu 9000",
	  .back = "ip link set ve0 mtu 1500",
	  /* virtio_net of Linux 6.1 refuses to detach a program while the MTU is so large. */
	  .undo = "ip link set ve0 mtu 1500",
	  .more = 8600 },
	{ .name = "mtu-lowered",
	  .before = "far ip link set pe0 mtu 9000; ip link set ve0 mtu 3000",
	  .after = "ip link set ve0 mtu 2000",
	  .more = 1600 },
#define FAR_VLAN                                                             \
	"far ip link add link pe0 name pe0.5 type vlan id 5\n"               \
	"far ip addr add 10.78.0.2/24 dev pe0.5; far ip link set pe0.5 up\n" \
	"far ip neigh add 10.78.0.1 lladdr $mac dev pe0.5 nud permanent\n"
#define VLAN                                                                                   \
	"ip link add link ve0 name ve0.5 type vlan id 5; ip addr add 10.78.0.1/24 dev ve0.5\n" \
	"ip link set ve0.5 up\n" FAR_VLAN
#define NO_VLAN "ip link del ve0.5; far ip link del pe0.5; "
	{ .name = "vlan", .before = VLAN, .to = "10.78.0.1", .undo = NO_VLAN },
	{ .name = "vlan-stripped",
	  .before = "ethtool -K ve0 rxvlan on; ethtool -k ve0 | grep -q 'rx-vlan-offload: on'\n" VLAN,
	  .to = "10.78.0.1",
	  .undo = NO_VLAN },
	{ .name = "vlan-kept",
	  .before = "ethtool -K ve0 rxvlan off; ethtool -k ve0 | grep -q 'rx-vlan-offload: off$'\n" VLAN,
	  .to = "10.78.0.1",
	  .undo = NO_VLAN "ethtool -K ve0 rxvlan on" },
	{ .name = "vlan-kept-later",
	  .before = "ethtool -K ve0 rxvlan on; ethtool -k ve0 | grep -q 'rx-vlan-offload: on$'\n" VLAN,
	  .after = "ethtool -K ve0 rxvlan off",
	  .to = "10.78.0.1",
	  .undo = NO_VLAN "ethtool -K ve0 rxvlan on" },
	/* Merged packets: the filter must not see any, because it finds only the first id. */
	{ .name = "lro",
	  .before = "ethtool -K ve0 lro on; ethtool -k ve0 | grep -q 'large-receive-offload: on'" },
	{ .name = "lro-later",
	  .before = "ethtool -k ve0 | grep 'large-receive-offload:' | grep -v fixed",
	  .after = "ethtool -K ve0 lro on || :" },
	{ .name = "gro-hw-later",
	  .before = "ethtool -k ve0 | grep 'rx-gro-hw:' | grep -v fixed",
	  .after = "ethtool -K ve0 rx-gro-hw on || :" },
};

/* Does `status` give this advice while packets come? */
static bool is_advised(const char *key)
{
	json_object *status, *list;
	uint64_t sent;
	bool found = false;

	driver_traffic_begin();
	usleep(ADVICE_US);
	status = tool_status("ve0");
	driver_traffic_end(&sent);
	list = json_object_object_get(status, "advice");
	for (size_t i = 0; i < json_object_array_length(list); i++)
		found |= !strcmp(key, json_object_get_string(json_object_object_get(
					      json_object_array_get_idx(list, i), "key")));
	json_object_put(status);
	return found;
}

/* Attaches the filter anew if `status` advises it. Returns false if it advises a smaller MTU. */
static bool heed_advice(void)
{
	if (is_advised("unseen")) {
		driver_fact("program", "lost at a reset");
		e2e_tool("load --replace --name ve0");
		e2e_await_links();
	}
	return !is_advised("mtu");
}

TEST_ROWS(test_row, ROWS)
{
	const struct driver_flood small = { .to = row->to };
	const struct driver_flood large = { .to = row->to, .more = row->more };
	struct driver_flood last = large;

	if (row->undo)
		driver_undo(row->undo);
	if (row->before)
		driver_can(row->before);
	if (row->back)
		driver_can(row->after);
	if (row->more && (row->back || !row->after))
		driver_link_takes(row->more);
	if (row->back)
		driver_can(row->back);
	e2e_load(LOAD "%s", row->load ?: "");
	driver_flood("ve0", row->after ? small : large);
	if (row->after) {
		driver_can(row->after);
		if (!heed_advice()) {
			driver_can(row->back);
			last = small;
		}
		driver_flood("ve0", last);
	}
	e2e_tool("unload ve0");
	driver_flood(NULL, last);
}

#define FRAMES 50

static void send_by_vlan(void)
{
	int fd;

	netns_enter(e2e_far());
	fd = udp_sender("10.78.0.1", 80, NULL);
	netns_enter(0);
	assert_return_code(fd, -fd);
	for (int i = 0; i < FRAMES; i++)
		assert_int_equal(send(fd, "\n", 1, 0), 1);
	close(fd);
}

/* How many of FRAMES frames of a VLAN that has no device on ve0 does the filter see? */
static uint64_t see_vlan(void)
{
	struct filter_counters c;

	e2e_load("load ve0");
	send_by_vlan();
	usleep(ADVICE_US);
	c = e2e_counters("ve0");
	e2e_tool("unload ve0");
	return c.rx - c.ignored;
}

static bool check_warns(void)
{
	char out[8192];

	sh_out(out, sizeof(out), "%s check ve0 --port 80 --vlan 5", tool());
	return strstr(out, "rx-vlan-filter off");
}

/* `check` says which NICs discard such frames before the filter. */
TEST(vlan_filtered)
{
	char out[1024];

	driver_undo("far ip link del pe0.5; ethtool -K ve0 rx-vlan-filter on || :");
	driver_can("ethtool -k ve0 | grep -q 'rx-vlan-filter: on'\n" FAR_VLAN);
	assert_true(check_warns());
	assert_int_equal(see_vlan(), 0);
	if (sh_out(out, sizeof(out), "ethtool -K ve0 rx-vlan-filter off"))
		return; /* the hypervisor does not let the driver turn it off */
	e2e_await_links();
	assert_false(check_warns());
	assert_int_equal(see_vlan(), FRAMES);
}

/* Changes under traffic. A driver may lose packets when its first program is attached or its last
 * one is detached, but not when a program is replaced.
 */
static const struct change {
	const char *name;
	const char *command; /* of the tool; "load" gets ports */
	bool may_lose;
} CHANGES[] = {
	{ "change-load", LOAD, true },
	{ "change-set", "set ve0 --ihave pass", false },
	{ "change-resize", "resize ve0 --forget --capacity 2M", false },
	{ "change-replace", "load --replace --name ve0", false },
	{ "change-unload", "unload ve0", true },
};

static bool driver_resets(void)
{
	char out[64];

	return !sh_out(out, sizeof(out), "%s check ve0 --port 80 | grep 'reset the NIC'", tool());
}

TEST_ROWS(test_change, CHANGES)
{
	bool is_load = !strcmp(row->command, LOAD);
	uint64_t sent, lost, ns;

	if (!is_load)
		e2e_load(LOAD);
	driver_traffic_begin();
	ns = gossip_now_ns();
	if (is_load)
		e2e_load("%s", row->command);
	else
		e2e_tool("%s", row->command);
	ns = gossip_now_ns() - ns;
	lost = driver_traffic_end(&sent);
	print_message("# %s: %llu of %llu packets lost, in %llu ms\n", row->name,
		      (unsigned long long)lost, (unsigned long long)sent,
		      (unsigned long long)ns / 1000000);
	driver_fact(row->name, "%llu/%llu", (unsigned long long)lost, (unsigned long long)sent);
	assert_true(sent > 100);
	/* A shared program is detached, then attached: a driver that resets its NIC loses packets. */
	if (!row->may_lose && !(getenv("SHARE") && driver_resets()))
		assert_int_equal(lost, 0);
	driver_flood(strstr(row->command, "unload") ? NULL : "ve0", (struct driver_flood){ 0 });
}

/* Starts the service, and waits until it has attached its program. */
#define SERVE                                                                         \
	"printf '%%s\\n' '[filter ve0]' 'interfaces = ve0' 'port = %u' 'fpr = 1e-9' " \
	">/mnt/conf\n"                                                                \
	"%s run --config /mnt/conf >/mnt/log 2>&1 &\n"                                \
	"echo $! >/mnt/service\n"                                                     \
	"timeout 30 sh -c 'until ip link show dev ve0 | grep -q prog/xdp; do sleep 0.1; done'"

/* The service attaches the program anew if the driver has lost it at a reset. */
TEST(service_down_up)
{
	uint64_t sent, before;

	driver_undo("kill $(cat /mnt/service)");
	sh(SERVE, e2e_port(), tool());
	e2e_await_links();
	driver_flood("ve0", (struct driver_flood){ 0 });
	driver_can("ip link set ve0 down; ip link set ve0 up");
	driver_traffic_begin();
	before = e2e_counters("ve0").rx;
	AWAIT_EVERY(100, e2e_counters("ve0").rx > before, driver_traffic_end(&sent));
	driver_traffic_end(&sent);
	e2e_await_links();
	driver_flood("ve0", (struct driver_flood){ 0 });
}

/* Other traffic, which the sender's offloads merge, comes complete while the filter runs. */

#define BESIDE_BYTES (4 << 20)
#define BESIDE_PORT 9
#define SEGMENT 1000
#define SEGMENTS 40
/* Linux 6.1 sends no UDP segments by a NIC that makes no checksums: EIO. */
#define CANNOT_SEND 3

/* Sends from the far end, in a process of its own. */
static pid_t start_beside(bool is_udp)
{
	const struct sockaddr_in to = { .sin_family = AF_INET,
					.sin_port = htons(BESIDE_PORT),
					.sin_addr = { htonl(0x0a4d0001) } };
	static uint8_t bytes[SEGMENT * SEGMENTS];
	int segment = SEGMENT, fd;
	pid_t pid = fork();

	assert_return_code(pid, errno);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	netns_enter(e2e_far());
	fd = socket(AF_INET, is_udp ? SOCK_DGRAM : SOCK_STREAM, 0);
	if (is_udp && setsockopt(fd, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment)))
		_exit(2);
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)))
		_exit(1);
	for (size_t at = 0; at < BESIDE_BYTES; at += sizeof(bytes)) {
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (at + i) % 251;
		if (write(fd, bytes, sizeof(bytes)) != sizeof(bytes))
			_exit(is_udp && errno == EIO ? CANNOT_SEND : 1);
		if (is_udp)
			usleep(20000);
	}
	_exit(0);
}

/* Reads what comes, and checks that it is what was sent, in order. Returns the number of bytes. */
static size_t read_beside(int fd)
{
	const struct timeval patience = { .tv_sec = 10 };
	static uint8_t bytes[65536];
	size_t at = 0;
	ssize_t n;

	assert_return_code(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)),
			   errno);
	while (at < BESIDE_BYTES && (n = read(fd, bytes, sizeof(bytes))) > 0) {
		for (ssize_t i = 0; i < n; i++)
			assert_int_equal(bytes[i], (at + i) % 251);
		at += n;
	}
	return at;
}

static const struct beside {
	const char *name;
	bool is_udp;
	const char *options;
} BESIDE[] = {
	{ "beside-tcp", false, "" },
	{ "beside-udp", true, "" },
	{ "beside-udp-skb", true, "--mode skb" },
};

TEST_ROWS(test_beside, BESIDE)
{
	const bool is_udp = row->is_udp;
	const size_t all = (BESIDE_BYTES + SEGMENT * SEGMENTS - 1) / (SEGMENT * SEGMENTS) *
			   (SEGMENT * SEGMENTS);
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(BESIDE_PORT) };
	int listening = socket(AF_INET, is_udp ? SOCK_DGRAM : SOCK_STREAM, 0), fd = listening;
	int room = 2 * BESIDE_BYTES, on = 1, status;
	uint64_t sent, lost;
	size_t came;
	pid_t pid;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	assert_return_code(bind(fd, (struct sockaddr *)&at, sizeof(at)), errno);
	if (!is_udp)
		assert_return_code(listen(fd, 1), errno);
	e2e_load(LOAD "%s", row->options);
	driver_traffic_begin();
	pid = start_beside(is_udp);
	if (!is_udp)
		fd = accept(listening, NULL, NULL);
	assert_return_code(fd, errno);
	came = read_beside(fd);
	lost = driver_traffic_end(&sent);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == CANNOT_SEND)
		skip();
	print_message("# %zu bytes came, %llu of %llu events lost\n", came,
		      (unsigned long long)lost, (unsigned long long)sent);
	if (fd != listening)
		close(fd);
	close(listening);
	assert_int_equal(status, 0);
	assert_in_range(came, BESIDE_BYTES, all);
	assert_int_equal(lost, 0);
}

/* Does load work in native mode with this MTU? Returns false, too, if the driver or the link
 * refuses the MTU. *ret_agrees: does `check` agree with load?
 */
static bool try_mtu(int mtu, bool *ret_agrees)
{
	char out[16384];
	bool is_ok, works, is_unknown;

	*ret_agrees = true;
	if (sh_out(out, sizeof(out), "ip link set ve0 mtu %d", mtu))
		return false;
	e2e_await_links();
	is_ok = !sh_out(out, sizeof(out), "%s check ve0 --port 80 --mode native --json", tool());
	is_unknown = strstr(out, "native XDP cannot be told"); /* before Linux 6.3 */
	works = !sh_out(out, sizeof(out), "%s load ve0 --port 80 --mode native", tool());
	if (works)
		e2e_tool("unload ve0");
	*ret_agrees = is_ok == works || (is_ok && is_unknown);
	if (!*ret_agrees) {
		out[strcspn(out, "\n")] = 0;
		print_message("# MTU %d: check says %s, but load: %s\n", mtu, is_ok ? "yes" : "no",
			      out);
	}
	return works;
}

/* For MTUs around the drivers' limits, `check` reports what load then does. */
TEST(check)
{
	static const int MTUS[] = { 1500, 3046, 3047, 3498, 9000 };
	int largest = 0, smallest_not = 0, wrong = 0;
	bool agrees;

	for (size_t i = 0; i < ARRAY_SIZE(MTUS); i++) {
		bool works = try_mtu(MTUS[i], &agrees);

		wrong += !agrees;
		if (works)
			largest = MTUS[i];
		else if (!smallest_not)
			smallest_not = MTUS[i];
	}
	while (largest && smallest_not - largest > 1) {
		int mtu = (largest + smallest_not) / 2;

		if (try_mtu(mtu, &agrees))
			largest = mtu;
		else
			smallest_not = mtu;
		wrong += !agrees;
	}
	driver_fact("largest-native-mtu", largest ? "%d" : "none", largest);
	assert_int_equal(wrong, 0);
}

/* Prints facts for the table of tests/drivers/README.md; those that surprise, `check` has told. */
TEST(facts)
{
	unsigned int before = driver_queues();
	char out[256], told[16384], *mode;
	bool resets, loses;

	sh_out(told, sizeof(told), "%s check ve0 --port 80", tool());
	sh_out(out, sizeof(out), "ethtool -i ve0 | sed -n 's/^driver: //p'");
	out[strcspn(out, "\n")] = 0;
	driver_fact("driver", "%s", out);
	sh_out(out, sizeof(out), "uname -r");
	out[strcspn(out, "-+\n")] = 0;
	driver_fact("linux", "%s", out);
	sh("%s load ve0 --port 80", tool());
	resets = sh_out(out, sizeof(out), "ip link show dev ve0 | grep -q LOWER_UP");
	e2e_await_links();
	mode = driver_mode("ve0");
	driver_fact("mode", "%s", mode);
	driver_fact("queues", "%u, %u", before, driver_queues());
	driver_fact("resets", "%s", resets ? "yes" : "no");
	free(mode);
	driver_can("ip link set ve0 down; ip link set ve0 up");
	loses = is_advised("unseen");
	driver_fact("loses", "%s", loses ? "yes" : "no");
	assert_int_equal(resets, strstr(told, "load and unload reset the NIC") != NULL);
	assert_int_equal(loses, strstr(told, "the driver loses the program") != NULL);
	assert_true(driver_queues() == before || strstr(told, "the driver adds a queue"));
}

int main(void)
{
	name_tool();
	add_own_tests(driver_setup, driver_teardown);
	return run_added_tests("drivers");
}
