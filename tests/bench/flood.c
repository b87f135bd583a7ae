// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "flood.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "flood.skel.h"

_Static_assert(FLOOD_HEADERS == sizeof(struct ethhdr) + sizeof(struct iphdr) + sizeof(struct udphdr),
	       "headers without options");

uint64_t flood_thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

bool flood_is_fair(void)
{
	return getenv("FAIR");
}

static int set_priority(pid_t thread, int priority)
{
	const struct sched_param real_time = { .sched_priority = priority }, none = { 0 };

	if (!flood_is_fair())
		return sched_setscheduler(thread, SCHED_FIFO, &real_time) ? -errno : 0;
	/* Whoever wakes up preempts an idle thread at once. */
	if (priority == FLOOD_SENDER_PRIORITY)
		return sched_setscheduler(thread, SCHED_IDLE, &none) ? -errno : 0;
	return setpriority(PRIO_PROCESS, thread, FLOOD_READER_PRIORITY - priority) ? -errno : 0;
}

int flood_pin(pid_t thread, int cpu, int priority)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(thread, sizeof(set), &set) ? -errno : set_priority(thread, priority);
}

int flood_sender_open(struct flood_sender *s, int cpu, uint32_t burst, uint32_t copies)
{
	*s = (struct flood_sender){
		.cpu = cpu,
		.burst = burst,
		.copies = copies,
		.skel = flood__open_and_load(),
	};
	return s->skel ? 0 : -errno;
}

void flood_sender_close(struct flood_sender *s)
{
	flood__destroy(s->skel);
	s->skel = NULL;
}

/* The sum of a header without options, in network byte order. */
static uint16_t ip_checksum(const struct iphdr *ip)
{
	uint16_t words[sizeof(*ip) / 2];
	uint32_t sum = 0;

	memcpy(words, ip, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		sum += words[i];
	sum = (sum & 0xffff) + (sum >> 16);
	return ~(sum + (sum >> 16));
}

/* All but the event. UDP without a checksum: NICs check those, not CPUs. */
static void build_frame(uint8_t *frame, const struct flood_target *to)
{
	struct ethhdr eth = { .h_source = { 2, 0, 0, 0, 0, 1 }, .h_proto = htons(ETH_P_IP) };
	struct udphdr udp = { .source = htons(FLOOD_PORT), .dest = htons(FLOOD_PORT) };
	struct flood_payload p = { .header = { .magic = htonl(GSP_MAGIC), GSP_EVENT, 1, 0 } };
	struct iphdr ip = { .version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP };

	memcpy(eth.h_dest, to->mac, sizeof(to->mac));
	ip.saddr = htonl(to->address + 1);
	ip.daddr = htonl(to->address);
	ip.tot_len = htons(sizeof(ip) + sizeof(udp) + sizeof(p));
	ip.check = ip_checksum(&ip);
	udp.len = htons(sizeof(udp) + sizeof(p));
	memcpy(frame, &eth, sizeof(eth));
	memcpy(frame += sizeof(eth), &ip, sizeof(ip));
	memcpy(frame += sizeof(ip), &udp, sizeof(udp));
	memcpy(frame + sizeof(udp), &p, sizeof(p));
}

/* One call for the whole flood: each takes the kernel 20 ms to begin and to end. */
static void *run_sender(void *arg)
{
	struct flood_sender *s = arg;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = s->frame, .data_size_in = sizeof(s->frame),
		    .repeat = s->packets, .batch_size = s->burst,
		    .flags = BPF_F_TEST_XDP_LIVE_FRAMES);
	uint64_t before;

	s->err = flood_pin(0, s->cpu, FLOOD_SENDER_PRIORITY);
	before = flood_thread_ns();
	if (!s->err && bpf_prog_test_run_opts(bpf_program__fd(s->skel->progs.send), &opts))
		s->err = -errno;
	s->cpu_ns = flood_thread_ns() - before;
	return NULL;
}

int flood_start(struct flood_sender *s, const struct flood_target *to, uint64_t seed,
		uint64_t rate_pps, uint32_t packets)
{
	build_frame(s->frame, to);
	s->skel->bss->orders = (struct flood_orders){
		.seed = seed,
		.rate_pps = rate_pps,
		.burst = s->burst,
		.ifindex = to->far_ifindex,
		.copies = s->copies,
		.late_step = FLOOD_COPIES_MAX / s->copies,
	};
	memcpy(s->skel->bss->orders.front, s->frame, sizeof(s->skel->bss->orders.front));
	/* Whole bursts. */
	s->packets = packets < s->burst ? s->burst : packets - packets % s->burst;
	s->err = 0;
	return -pthread_create(&s->thread, NULL, run_sender, s);
}

int flood_wait(struct flood_sender *s)
{
	const volatile struct flood_orders *o = &s->skel->bss->orders;

	pthread_join(s->thread, NULL);
	s->sent = o->sent;
	s->rate_pps = (o->sent - s->burst) * 1e9 / (o->last_ns - o->first_ns);
	/* It waits where nothing preempts it, so that this too is CPU time. */
	s->cpu_ns -= o->waited_ns < s->cpu_ns ? o->waited_ns : s->cpu_ns;
	return s->err;
}

uint64_t flood_dropped(const struct flood_sender *s)
{
	return *(const volatile __u64 *)&s->skel->bss->dropped;
}

int flood_program_fd(const struct flood_sender *s, const char *name)
{
	return bpf_program__fd(bpf_object__find_program_by_name(s->skel->obj, name));
}

int flood_enter(const struct flood_sender *s, uint32_t place, int socket_fd)
{
	return bpf_map_update_elem(bpf_map__fd(s->skel->maps.xsks), &place, &socket_fd, BPF_ANY);
}
