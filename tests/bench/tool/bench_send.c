// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sends packets through the programs that are measured. */
#include "bench_setup.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bench.skel.h"
#include "diag.h"
#include "integers.h"

#define FILL_PACKETS 4000000 /* most packets in one system call on each CPU, or on both together */
#define STALE_TRIES 10

static int pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(0, sizeof(set), &set) ? -errno : 0;
}

int bench_prepare(struct bench *b, const struct bench_setting *setting)
{
	static cpu_set_t all; /* the CPUs of this process before it was pinned to one */
	int err;

	*b = (struct bench){ .setting = *setting };
	b->capacity = setting->ids / setting->fill;
	for (int i = 0; i < BENCH_ROWS_CNT; i++)
		b->subject[i] = (struct bench_subject){ .fd = -1, .count_fd = -1, .salt = i };
	setpriority(PRIO_PROCESS, 0, -20); /* other programs disturb the measurements */
	if (!CPU_COUNT(&all) && sched_getaffinity(0, sizeof(all), &all))
		return diag_err(-errno, "cannot see the CPUs: %s", strerror(errno));
	for (int cpu = 0; cpu < CPU_SETSIZE && cpu < BENCH_CPUS && b->cpus_cnt < 2; cpu++)
		if (CPU_ISSET(cpu, &all))
			b->cpus[b->cpus_cnt++] = cpu;
	if (!b->cpus_cnt)
		return diag_err(-ENODEV, "bench needs one of the first %d CPUs", BENCH_CPUS);
	err = pin_to(b->cpus[0]);
	return err ? diag_err(err, "cannot stay on a CPU: %s", strerror(-err)) : 0;
}

int bench_generator_fd(const struct bench *b)
{
	return bpf_program__fd(b->skel->progs.generate);
}

int bench_aim(struct bench *b, int prog_fd, enum bench_packet packet)
{
	__u32 key = 0;

	bench_build_frame(b, packet);
	b->skel->bss->id_at = b->id_at;
	if (bpf_map_update_elem(bpf_map__fd(b->skel->maps.target), &key, &prog_fd, BPF_ANY))
		return diag_err(-errno, "cannot aim at a program: %s", strerror(errno));
	return 0;
}

struct worker {
	struct bench *b;
	pthread_barrier_t *start;
	int cpu, fd, extra, err;
};

static void *send_packets(void *arg)
{
	struct worker *w = arg;
	const struct bench_stream *s = &w->b->streams[w->cpu];
	uint64_t all = s->warm + s->packets + w->extra, sent;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = w->b->frame,
		    .data_size_in = w->b->frame_bytes);

	w->err = pin_to(w->cpu);
	pthread_barrier_wait(w->start);
	/* Repeats, as runs in which this CPU waited for the other one have sent no packet. */
	while (!w->err && (sent = READ_ONCE(s->sent)) < all) {
		opts.repeat = (int)(all - sent);
		if (bpf_prog_test_run_opts(w->fd, &opts))
			w->err = -errno;
	}
	return NULL;
}

int bench_send(struct bench *b, int generator_fd, int cnt, int extra)
{
	struct worker workers[2];
	pthread_barrier_t start;
	pthread_t other;
	int err;

	for (int i = 0; i < 2; i++)
		workers[i] = (struct worker){ b, &start, b->cpus[i], generator_fd, extra, 0 };
	err = -pthread_barrier_init(&start, NULL, cnt);
	if (!err && cnt == 2)
		err = -pthread_create(&other, NULL, send_packets, &workers[1]);
	if (!err) {
		send_packets(&workers[0]);
		err = workers[0].err;
		if (cnt == 2) {
			pthread_join(other, NULL);
			err = err ?: workers[1].err;
		}
		pthread_barrier_destroy(&start);
	}
	return err ? diag_err(err, "cannot send packets: %s", strerror(-err)) : 0;
}

/* Sends fresh ids, each once; each CPU sends an equal part, or one CPU sends all. */
static int send_fresh(struct bench *b, struct bench_subject *s, const struct bench_load *l)
{
	int cpus = l->packets % b->cpus_cnt ? 1 : b->cpus_cnt;

	for (int i = 0; i < cpus; i++)
		b->streams[b->cpus[i]] = (struct bench_stream){
			.next = s->next + i * (l->packets / cpus),
			.salt = s->salt,
			.packets = l->packets / cpus,
			.fresh_parts = BENCH_ALL,
			.other = BENCH_ALONE,
		};
	return bench_send(b, bench_generator_fd(b), cpus, 0);
}

int bench_send_counted(struct bench *b, struct bench_subject *s, const struct bench_load *l,
		       bench_send_fn send, struct filter_counters counters[2])
{
	int tries = STALE_TRIES, err;

	do {
		err = s->prog ? filter_counters(&s->filter, &counters[0]) : 0;
		if (!err)
			err = send(b, s, l);
		if (!err && s->prog)
			err = filter_counters(&s->filter, &counters[1]);
	} while (!err && s->prog && counters[1].stale != counters[0].stale && --tries);
	return err;
}

int bench_fill(struct bench *b, struct bench_subject *s, uint64_t ids)
{
	struct filter_counters counters[2];
	int err = bench_aim(b, s->fd, s->packet);

	while (ids && !err) {
		const struct bench_load load = { .packets = lesser(ids, FILL_PACKETS) };

		err = bench_send_counted(b, s, &load, send_fresh, counters);
		s->next += load.packets;
		ids -= load.packets;
	}
	return err;
}
