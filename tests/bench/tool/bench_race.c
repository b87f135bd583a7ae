// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sends copies of an id on two CPUs at one instant: one may pass, not both. */
#include "bench_setup.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bench.h"
#include "bench.skel.h"
#include "diag.h"

#define SALT 99 /* differs from the salts of rows, which are their numbers */

static int send_race(struct bench *b, uint64_t ids)
{
	int err = bench_aim(b, b->subject[BENCH_SHIPPED].fd, BENCH_LONG);

	if (err)
		return err;
	for (int i = 0; i < 2; i++)
		b->streams[b->cpus[i]] = (struct bench_stream){
			.salt = SALT,
			.packets = ids,
			.other = b->cpus[!i],
		};
	/* One more packet: the generator counts a pass when the next packet begins. */
	return bench_send(b, bpf_program__fd(b->skel->progs.generate_race), 2, 1);
}

static int count_passes(const struct bench *b, uint64_t ids, struct bench_race *out)
{
	const uint64_t *passes = mmap(NULL, ids * sizeof(*passes), PROT_READ, MAP_SHARED,
				      bpf_map__fd(b->skel->maps.passes), 0);

	if (passes == MAP_FAILED)
		return diag_err(-errno, "cannot map the passes: %s", strerror(errno));
	*out = (struct bench_race){ .ids = ids };
	for (uint64_t i = 0; i < ids; i++) {
		out->never += passes[i] == 0;
		out->twice += passes[i] == 2;
	}
	out->apart = b->streams[b->cpus[0]].apart + b->streams[b->cpus[1]].apart;
	munmap((void *)passes, ids * sizeof(*passes));
	return 0;
}

int bench_race(uint64_t ids, double fpr, struct bench_race *out)
{
	struct bench_setting setting = { .ids = ids, .fill = 1, .fpr = fpr };
	struct bench b;
	int err = bench_prepare(&b, &setting);

	if (err)
		return err;
	if (b.cpus_cnt < 2)
		return -ENODEV;
	diag_progress("%" PRIu64 " ids on two CPUs at the same instant", ids);
	err = bench_open_filter(&b, BENCH_SHIPPED) ?:
	      bench_open_peers(&b, false, false, ids) ?:
	      send_race(&b, ids) ?:
	      count_passes(&b, ids, out);
	bench_close(&b);
	return err;
}
