// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* recover = yes: with a buffer that is too small for bursts, what it loses of the first copies
 * arrives by later ones; and a flood of lost packets takes a small part of a CPU. The drop monitor
 * is only in the initial network namespace: so this runs only on machines that say in MACHINE that
 * they are for tests (tests/run-drivers). Skipped on NICs without native XDP.
 *
 * Environment: IFACE=NEAR,FAR; EVENTS=N of the first test (5,000); APART=N: copies come N ms
 * apart, and not when the service, which an emulator makes slow, has read what was lost.
 */
#include <linux/capability.h>
#include <linux/if_packet.h>
#include <linux/net_dropmon.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <sys/prctl.h>

#include "await.h"
#include "clock.h"
#include "driver_runner.h"
#include "protocol_packets.h"

#define PORT 5568
#define EVENTS 5000
#define COPIES 3
#define ARRIVE_US 100000 /* packets, and the kernel's reports of them */
#define BUFFER_BYTES 262144
#define FLOOD_S 15

static char near[IFNAMSIZ], far[IFNAMSIZ];
static pid_t far_netns, service;
static int sender, receiver;
static struct frame frame;
static uint32_t next_event = 1; /* events have numbers */

static void open_receiver(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int bytes = BUFFER_BYTES;

	receiver = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert_int_equal(setsockopt(receiver, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)), 0);
	assert_int_equal(bind(receiver, (void *)&at, sizeof(at)), 0);
}

static void open_sender(void)
{
	struct protocol_packet p = { .protocol = DATAGRAM, .port = PORT, .body = 200 };
	static const uint8_t US[4] = { 10, 0, 1, 2 };
	struct sockaddr_ll to = { .sll_family = AF_PACKET };
	uint8_t *mac = p.to_mac;
	char out[64];

	memcpy(p.to, US, 4);
	/* Its own: an emulated vmxnet3 does not receive by another one. */
	sh_out(out, sizeof(out), "ip -br link show %s | awk '{ print $3 }'", near);
	assert_int_equal(sscanf(out, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", &mac[0], &mac[1], &mac[2],
				&mac[3], &mac[4], &mac[5]),
			 6);
	protocol_frame(&frame, &p);
	ipv4_sum(&frame);
	netns_enter(far_netns);
	sender = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	to.sll_ifindex = (int)if_nametoindex(far);
	assert_int_equal(bind(sender, (void *)&to, sizeof(to)), 0);
	netns_enter_path(netns_outside());
}

static void send_events(uint32_t first, uint32_t cnt)
{
	for (uint32_t n = first; n < first + cnt; n++) {
		frame_put(&frame, frame.gsp, 4, n);
		assert_int_equal(send(sender, frame.data, frame.len, 0), frame.len);
	}
}

/* Takes what waits in the socket: adds to seen[] of the events from `first` on. Returns how many of
 * `cnt` events came for the first time.
 */
static uint32_t take_events(uint32_t first, uint32_t cnt, uint8_t *seen)
{
	uint32_t n, fresh = 0;
	uint8_t bytes[512];

	while (recv(receiver, bytes, sizeof(bytes), 0) >= 4) {
		memcpy(&n, bytes, 4);
		n = ntohl(n) - first;
		if (n < cnt)
			fresh += !seen[n]++;
	}
	return fresh;
}

/* Returns how many events the buffer has room for. */
static uint32_t buffer_events(void)
{
	uint8_t seen[1000] = { 0 };
	uint32_t fit = 0;

	/* What was read frees room late, so only the second time is as all later ones. */
	for (int i = 0; i < 2; i++) {
		send_events(next_event, 1000);
		usleep(500000);
		fit = take_events(next_event, 1000, seen);
		next_event += 1000;
		memset(seen, 0, sizeof(seen));
	}
	sleep(2); /* until the service has read what was lost */
	assert_in_range(fit, 10, 900);
	return fit;
}

/* What the listener to the drop monitor has to read, and what it had no room for. */
struct backlog {
	unsigned int bytes, dropped;
};

static struct backlog read_backlog(void)
{
	FILE *f = fopen("/proc/net/netlink", "re");
	struct backlog found = { 0 }, b;
	unsigned int protocol, groups;
	char line[256];

	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %u %*u %x %u %*u %*u %*u %u", &protocol, &groups, &b.bytes,
			   &b.dropped) == 4 &&
		    protocol == NETLINK_GENERIC && groups & NET_DM_GRP_ALERT)
			found = b;
	fclose(f);
	return found;
}

struct result {
	uint32_t events, lost_first, missing, twice;
};

/* Sends bursts of events, each in COPIES copies. */
static struct result burst(uint32_t events, uint32_t at_once)
{
	struct result result = { .events = events };
	useconds_t half_us = environment_number("APART", 0) * 500;

	for (uint32_t done = 0; done < events; done += at_once) {
		uint8_t seen[1000] = { 0 };
		uint32_t cnt = events - done < at_once ? events - done : at_once, came = 0;

		for (int copy = 0; copy < COPIES; copy++) {
			send_events(next_event, cnt);
			usleep(half_us ?: ARRIVE_US);
			came += take_events(next_event, cnt, seen);
			if (!copy)
				result.lost_first += cnt - came;
			usleep(half_us ?: ARRIVE_US);
			for (int ms = 0; !half_us && read_backlog().bytes && ms < PATIENCE_MS; ms += 5)
				usleep(5000);
		}
		came += take_events(next_event, cnt, seen);
		result.missing += cnt - came;
		for (uint32_t n = 0; n < cnt; n++)
			result.twice += seen[n] > 1;
		next_event += cnt;
	}
	printf("# of %u events in %d copies %u lost the first one, %u never came, %u came twice\n",
	       events, COPIES, result.lost_first, result.missing, result.twice);
	return result;
}

static void write_file(const char *recover)
{
	sh("printf '[service]\\nrecover = %s\\nmetrics = /tmp/prom\\nmetrics-every = 5s\\n[filter l]\\n"
	   "interfaces = %s\\nprofile = payload:%d\\nwindow = 1m\\n' >/tmp/c",
	   recover, near, PORT);
}

static void await_log(const char *words)
{
	sh("for i in $(seq 300); do grep -q \"%s\" /tmp/log && break; sleep 0.1; done\n"
	   "grep -q \"%s\" /tmp/log || { cat /tmp/log; exit 1; }",
	   words, words);
}

/* Starts it with the capabilities of its unit, and this one. */
static void start_with(unsigned int capability, const char *recover, const char *words)
{
	static const unsigned int UNIT[] = { CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN, CAP_NET_RAW };
	uint64_t kept = UINT64_C(1) << capability;
	char command[256];

	write_file(recover);
	sh(": >/tmp/log");
	snprintf(command, sizeof(command), "exec %s run --config /tmp/c >>/tmp/log 2>&1", tool());
	for (size_t i = 0; i < ARRAY_SIZE(UNIT); i++)
		kept |= UINT64_C(1) << UNIT[i];
	service = fork();
	if (!service) {
		for (unsigned int i = 0; i <= CAP_LAST_CAP; i++)
			if (!(kept >> i & 1))
				prctl(PR_CAPBSET_DROP, i, 0, 0, 0);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	await_log(words);
}

static void start_service(const char *recover, const char *words)
{
	start_with(CAP_SYS_ADMIN, recover, words);
	/* The driver may have reset the NIC. */
	sh("until [ $(ip link show %s | grep -c LOWER_UP) = 1 ]; do sleep 0.1; done; sleep 1", near);
}

static void reload(const char *recover, const char *words)
{
	write_file(recover);
	sh(": >/tmp/log");
	kill(service, SIGHUP);
	await_log(words);
}

static void end_service(int signal)
{
	int status;

	kill(service, signal);
	waitpid(service, &status, 0);
	service = 0;
}

static bool monitor_is_on(void)
{
	char out[64];

	sh_out(out, sizeof(out), "cat /sys/module/drop_monitor/refcnt");
	return atoi(out) > 0;
}

/* Skips the test on a NIC without native XDP. */
static void need_native(void)
{
	char *mode;
	bool native;

	sh("%s load %s --port 1 --name native 2>/dev/null", tool(), near);
	mode = driver_mode("native");
	native = !strcmp(mode, "native");
	free(mode);
	sh("%s unload --name native 2>/dev/null", tool());
	if (!native)
		skip();
}

/* Returns the sum of these metrics. */
static double metrics_sum(const char *pattern)
{
	char out[64];

	sh_out(out, sizeof(out), "awk '/%s/ { sum += $2 } END { print sum }' /tmp/prom", pattern);
	return atof(out);
}

#define IS_ON "is wanted"

TEST(what_was_lost_arrives_by_later_copies)
{
	uint32_t events = environment_number("EVENTS", EVENTS), at_once;
	struct result r;

	need_native();
	start_service("no", near);
	at_once = buffer_events() * 5 / 4;
	r = burst(events, at_once);
	end_service(SIGTERM);
	assert_in_range(r.lost_first, events / 10, events / 3);
	assert_in_range(r.missing, events / 10, r.lost_first);
	assert_int_equal(r.twice, 0);
	start_service("yes", IS_ON);
	r = burst(events, at_once);
	end_service(SIGTERM);
	assert_in_range(r.lost_first, events / 10, events / 3);
	/* An emulator may stop the service for longer than two copies take. */
	assert_in_range(r.missing, 0, getenv("APART") ? r.lost_first / 50 : 0);
	assert_int_equal(r.twice, 0);
	assert_false(monitor_is_on());
}

TEST(it_stays_on_through_changes)
{
	static const char *const CHANGES[] = {
		":",
		"$XD set l --action count; $XD set l --action drop",
		"$XD resize l --capacity 2M",
		/* Another one of this name is read only at the next refresh; and one that is not
		 * there for a while keeps its counters.
		 */
		"$XD unload --name l; sleep 12; $XD load $NEAR --profile payload:5568 --name l; sleep 15",
		"ip link set $NEAR down; ip link set $NEAR up; sleep 5",
	};
	uint32_t at_once, lost = 0;
	struct result r;

	need_native();
	start_service("yes", IS_ON);
	at_once = buffer_events() * 5 / 4;
	for (size_t i = 0; i < ARRAY_SIZE(CHANGES); i++) {
		printf("# %s\n", CHANGES[i]);
		sh("XD=%s NEAR=%s; { %s; } >/tmp/change 2>&1 || { cat /tmp/change; false; }",
		   tool(), near, CHANGES[i]);
		r = burst(2 * at_once, at_once);
		assert_int_equal(r.missing, 0);
		lost += r.lost_first;
	}
	sleep(6);
	assert_true(metrics_sum("^xdp_dedup_recover_wanted_total") >= lost);
	reload("no", "recover: off");
	assert_false(monitor_is_on());
	reload("yes", IS_ON);
	end_service(SIGKILL);
	assert_true(monitor_is_on());
	start_service("yes", IS_ON);
	end_service(SIGKILL);
	assert_true(monitor_is_on());
	start_service("no", near);
	assert_false(monitor_is_on());
	end_service(SIGTERM);
}

/* Returns the CPU time of the service, in ticks of 10 ms. */
static uint64_t service_ticks(void)
{
	char out[64];

	sh_out(out, sizeof(out), "cut -d ' ' -f 14,15 /proc/%d/stat | tr ' ' '+'", (int)service);
	return strtoull(out, NULL, 10) + strtoull(strchr(out, '+') + 1, NULL, 10);
}

/* Sends without a pause, or sleeps, and nobody reads. Returns the service's part of a CPU, in percent. */
static double busy_percent(bool flood)
{
	uint64_t began_ns = clock_ns(CLOCK_MONOTONIC), ticks = service_ticks(), ns;

	do {
		if (flood)
			send_events(next_event++, 1);
		else
			usleep(10000);
		ns = clock_ns(CLOCK_MONOTONIC) - began_ns;
	} while (ns < FLOOD_S * UINT64_C(1000000000));
	return (service_ticks() - ticks) * 1e9 / ns;
}

#define FRESH "^xdp_dedup_packets_total.*reason=.new."

/* An emulator's CPUs are one: the kernel's part of the cost is that fewer packets are sent. */
TEST(a_flood_costs_a_bounded_part_of_a_cpu)
{
	uint32_t before, sent;
	double idle, busy, known, lost;
	char out[512];

	need_native();
	start_service("no", near);
	before = next_event;
	busy_percent(true);
	sent = next_event - before;
	end_service(SIGTERM);
	start_service("yes", IS_ON);
	idle = busy_percent(false);
	lost = -metrics_sum(FRESH); /* what is sent may also be lost before the filter */
	busy = busy_percent(true);
	while (read_backlog().bytes)
		sleep(1);
	sleep(6);
	sh_out(out, sizeof(out), "grep -E '^xdp_dedup_re(cover|fresh)_' /tmp/prom");
	lost += metrics_sum(FRESH);
	known = metrics_sum("^xdp_dedup_recover_(wanted|unwanted|unread)_total");
	printf("# %.0f packets lost in %d s, %u without recover: the service took %.1f %% of a CPU, %.1f %% without them; %.0f are known\n%s",
	       lost, FLOOD_S, sent, busy, idle, known, out);
	end_service(SIGTERM);
	assert_in_range(known, 1000, lost + 1000); /* some are in the buffer */
	/* A tenth, what it may save up for bursts, and readings, which an emulator makes slow. */
	assert_true(busy - idle < 20);
	assert_true(lost > 0.6 * sent);
}

/* The service is stopped until there is no room for packets. Then the monitor is off until all are
 * read.
 */
TEST(a_flood_turns_the_monitor_off)
{
	uint32_t at_once;
	struct result r;

	need_native();
	start_service("yes", IS_ON);
	at_once = buffer_events() * 5 / 4;
	kill(service, SIGSTOP);
	while (!read_backlog().dropped)
		send_events(next_event++, 1);
	kill(service, SIGCONT);
	AWAIT(!monitor_is_on());
	AWAIT(monitor_is_on());
	sleep(1); /* the module is in use a little before it listens */
	r = burst(2 * at_once, at_once);
	end_service(SIGTERM);
	assert_in_range(r.lost_first, 1, 2 * at_once);
	assert_int_equal(r.missing, 0);
}

TEST(it_needs_a_right_more_than_the_unit_has)
{
	need_native();
	start_with(CAP_SYS_PTRACE, "yes", "needs CAP_NET_ADMIN and CAP_SYS_ADMIN");
	end_service(SIGTERM);
	assert_false(monitor_is_on());
}

static int begin(void **state)
{
	(void)state;
	sscanf(getenv("IFACE"), "%15[^,],%15[^,]", near, far);
	far_netns = netns_start();
	netns_enter_path(netns_outside());
	sh("set -e; ip link set %s netns /proc/%d/ns/net; ip addr add 10.0.1.2/24 dev %s\n"
	   "ip link set %s mtu 1500 up",
	   far, far_netns, near, near);
	netns_enter(far_netns);
	sh("ip link set %s up", far);
	netns_enter_path(netns_outside());
	open_receiver();
	open_sender();
	return 0;
}

static int end(void **state)
{
	(void)state;
	close(sender);
	close(receiver);
	if (service)
		end_service(SIGKILL);
	sh("%s unload --all >/dev/null 2>&1; ip addr flush dev %s", tool(), near);
	netns_enter(far_netns);
	sh("ip link set %s netns 1", far);
	netns_stop(far_netns);
	netns_enter_path(netns_sandbox());
	return 0;
}

int main(void)
{
	if (!getenv("MACHINE") || !getenv("IFACE") || getenv("SHARE")) {
		puts("1..0 # SKIP no machine for tests alone, with NICs, and without --share");
		return 0;
	}
	add_own_tests(begin, end);
	return run_added_tests("recover");
}
