// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "flood_runner.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/libbpf.h>
#include <linux/if_link.h>

#include "e2e_runner.h"
#include "pins.h"
#include "flood.h"

#define SENDER_CPU 0
#define FPR 1e-4 /* the tool's default */

enum link { LINK_DEDUP, LINK_TOLD, LINK_DROP, LINK_PLAIN, LINK_SPARE, LINKS };

/* Which of the links a flood takes. */
static const enum link LINK_OF[FLOOD_WAYS] = { LINK_DEDUP, LINK_TOLD,  LINK_DROP,
					       LINK_PLAIN, LINK_PLAIN, LINK_PLAIN };

static struct e2e {
	struct flood_sender sender;
	struct flood_target targets[LINKS];
	pid_t napi[LINKS]; /* kernel threads; 0 on one CPU */
	int receiver_cpu;
	struct filter in_kernel; /* on LINK_DEDUP */
	struct xdp_dedup_filter *in_user_space;
	uint64_t seed;
} e2e;

/* Kernel threads are the whole machine's, and named after these. */
static const char *near_end(enum link link)
{
	static char name[IFNAMSIZ];

	snprintf(name, sizeof(name), "fl%dp%u", link, (unsigned int)getpid() % 10000000);
	return name;
}

/* The pid of the NAPI thread of an interface, which has one queue. */
static pid_t napi_thread(const char *ifname)
{
	char path[64], comm[64], prefix[32];
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;
	FILE *f;

	snprintf(prefix, sizeof(prefix), "napi/%s-", ifname);
	while (proc && !found && (entry = readdir(proc))) {
		pid_t pid = strtol(entry->d_name, NULL, 10);

		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		f = pid ? fopen(path, "re") : NULL;
		if (!f)
			continue;
		if (fgets(comm, sizeof(comm), f) && !strncmp(comm, prefix, strlen(prefix)))
			found = pid;
		fclose(f);
	}
	if (proc)
		closedir(proc);
	return found;
}

static void start_napi_thread(enum link link)
{
	int err;

	sh("echo 1 > /sys/class/net/%s/threaded", near_end(link));
	e2e.napi[link] = napi_thread(near_end(link));
	assert_int_not_equal(e2e.napi[link], 0);
	err = flood_pin(e2e.napi[link], e2e.receiver_cpu, FLOOD_NAPI_PRIORITY);
	assert_return_code(err, -err);
}

/* No IPv6: it talks without being asked. GRO is what makes NAPI run without XDP; there
 * is no packet here that it merges.
 */
static void make_link(enum link link)
{
	struct flood_target *t = &e2e.targets[link];
	char far_end[IFNAMSIZ];

	snprintf(far_end, sizeof(far_end), "far%d", link);
	*t = (struct flood_target){ .mac = { 2, 0, 0, 0, 1, link },
				    .address = 0x0a4f0001 + (link << 8) };
	sh("set -e; near=%s far=%s link=%d\n"
	   "ip link add $near address 02:00:00:00:01:0$link numrxqueues 1 numtxqueues 1 type veth"
	   " peer name $far numrxqueues 1 numtxqueues 1\n"
	   "ip link set $near addrgenmode none\n"
	   "ip link set $far addrgenmode none\n"
	   "ethtool -K $near gro on\n"
	   "ip addr add 10.79.$link.1/24 dev $near\n"
	   "ip link set $near up\n"
	   "ip link set $far up\n",
	   near_end(link), far_end, link);
	t->far_ifindex = if_nametoindex(far_end);
	if (e2e.receiver_cpu != SENDER_CPU)
		start_napi_thread(link);
}

static void attach(enum link link, int prog_fd)
{
	int err = bpf_xdp_attach(if_nametoindex(near_end(link)), prog_fd, XDP_FLAGS_DRV_MODE, NULL);

	assert_return_code(err, -err);
}

void flood_run_make(enum flood_cpus cpus, uint32_t burst, uint32_t copies, const char *size)
{
	int err;

	e2e.seed = gossip_now_ns();
	e2e.receiver_cpu = SENDER_CPU + (cpus == FLOOD_TWO_CPUS);
	for (int i = 0; i < LINKS; i++)
		make_link(i);
	err = flood_sender_open(&e2e.sender, SENDER_CPU, burst, copies);
	assert_return_code(err, -err);
	attach(LINK_TOLD, flood_drop_copies_fd(&e2e.sender));
	attach(LINK_DROP, flood_drop_fd(&e2e.sender));
	sh("%s load %s --name kernel --mode native --port %d %s --fpr %g", tool(),
	   near_end(LINK_DEDUP), FLOOD_PORT, size, FPR);
	sh("%s load %s --name user --learn app --port %d %s --fpr %g", tool(), near_end(LINK_SPARE),
	   FLOOD_PORT, size, FPR);
	err = filter_open("kernel", &e2e.in_kernel);
	assert_return_code(err, -err);
	err = xdp_dedup_open("user", &e2e.in_user_space);
	assert_return_code(err, -err);
}

void flood_run_remove(void)
{
	filter_close(&e2e.in_kernel);
	xdp_dedup_close(e2e.in_user_space);
	sh("%s unload --all", tool());
	for (int i = 0; i < LINKS; i++)
		sh("ip link del %s", near_end(i));
	flood_sender_close(&e2e.sender);
	e2e = (struct e2e){ 0 };
}

/* The first number in that file. */
__attribute__((format(printf, 1, 2))) static uint64_t read_number(const char *format, ...)
{
	unsigned long long number = 0;
	char path[PATH_MAX];
	va_list args;
	FILE *f;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%llu", &number), 1);
	fclose(f);
	return number;
}

/* Packets that XDP has dropped, of all floods. */
static uint64_t dropped(enum flood_way way)
{
	struct filter_counters c;

	if (way == FLOOD_XDP_DROP || way == FLOOD_XDP_TOLD)
		return flood_dropped(&e2e.sender);
	if (way != FLOOD_XDP_DEDUP)
		return 0;
	assert_return_code(filter_counters(&e2e.in_kernel, &c), EIO);
	return c.dropped;
}

/* What is counted from the link's beginning. */
struct counts {
	uint64_t dropped;
	uint64_t lost_in_ring;
	uint64_t napi_ns; /* exact while it sleeps */
};

static struct counts count(enum flood_way way)
{
	enum link link = LINK_OF[way];

	return (struct counts){
		.dropped = dropped(way),
		.lost_in_ring =
			read_number("/sys/class/net/%s/statistics/rx_dropped", near_end(link)),
		.napi_ns = e2e.napi[link] ? read_number("/proc/%d/schedstat", e2e.napi[link]) : 0,
	};
}

static void fill_in(struct flood_result *r, enum flood_way way, const struct flood_reader *reader,
		    const struct counts *before)
{
	struct counts after = count(way);

	r->dropped = after.dropped - before->dropped;
	r->lost_in_ring = after.lost_in_ring - before->lost_in_ring;
	r->napi_ns = after.napi_ns - before->napi_ns;
	r->lost_in_socket = reader->lost;
	r->distinct = reader->distinct;
	r->again = reader->again;
	r->strangers = reader->strangers;
	r->duplicates = reader->again + reader->duplicates;
	if (way == FLOOD_XDP_DEDUP || way == FLOOD_XDP_TOLD)
		r->duplicates += r->dropped;
	r->received = r->dropped + reader->distinct + reader->again + reader->duplicates;
	r->reader_ns = reader->cpu_ns;
}

struct flood_result flood_run_run(enum flood_way way, uint64_t rate_pps, double seconds)
{
	struct flood_target to = e2e.targets[LINK_OF[way]];
	struct flood_reader reader = {
		.cpu = e2e.receiver_cpu,
		.seed = e2e.seed++,
		.events = rate_pps * seconds / e2e.sender.copies + FLOOD_SPREAD,
		.filter = way == FLOOD_SOCKET_DEDUP ? e2e.in_user_space : NULL,
	};
	struct counts before = count(way);
	struct flood_result r = { 0 };
	int err = flood_reader_start(&reader, to.address), reader_err;

	assert_return_code(err, -err);
	if (way == FLOOD_NOWHERE)
		to.far_ifindex = 0;
	err = flood_start(&e2e.sender, &to, reader.seed, rate_pps, rate_pps * seconds);
	if (!err)
		err = flood_wait(&e2e.sender);
	reader_err = flood_reader_stop(&reader);
	assert_return_code(err, -err);
	assert_return_code(reader_err, -reader_err);
	r.rate_pps = e2e.sender.rate_pps;
	r.sent = e2e.sender.sent;
	r.sender_ns = e2e.sender.cpu_ns;
	r.events = (r.sent + e2e.sender.copies - 1) / e2e.sender.copies;
	fill_in(&r, way, &reader, &before);
	return r;
}

double flood_loss(const struct flood_result *r)
{
	return r->sent > r->received ? (double)(r->sent - r->received) / r->sent : 0;
}

void flood_run_check(enum flood_way way, const struct flood_result *r)
{
	uint64_t lost = r->lost_in_ring + r->lost_in_socket;

	if (way == FLOOD_NOWHERE)
		return;
	assert_int_equal(r->received + lost, r->sent);
	assert_int_equal(r->strangers, 0);
	if (way == FLOOD_XDP_DROP)
		return;
	assert_true(r->distinct <= r->events);
	assert_true(r->events - r->distinct <= lost + poisson_bound(FPR * r->events));
	if (way != FLOOD_SOCKET)
		assert_int_equal(r->again, 0);
}
