// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sampling.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "clock.h"
#include "fd.h"
#include "kernel.h"
#include "slow_path_reason.h"
#include "open.h"
#include "stats.h"

#define RENEW_NS (DEDUP_SAMPLER_LEASE_NS / 6)
#define SLOT ((__u32){ 0 }) /* the only slot of the map `samples` */

struct sampling {
	struct filter *f;
	struct sampling_taker taker;
	bool enough;		  /* take() has ended it */
	int map_fd, ring_fd;	  /* the map `samples`, and the ring buffer to put into it */
	struct ring_buffer *ring; /* libbpf's reader */
	uint64_t until_ns; /* as this process has set it; 0: it does not hold the filter's sampler */
	uint64_t renewed_ns;	      /* when until_ns was set, by this process's clock */
	struct sampling_lost earlier; /* counted before this sampler */
};

static struct sampling_lost lost_so_far(const struct filter *f)
{
	return (struct sampling_lost){ .limited = READ_ONCE(f->state->sampler.limited),
				       .full = READ_ONCE(f->state->sampler.full) };
}

/* The callback of libbpf's reader: a negative result ends the reading. */
static int deliver_sample(void *arg, void *data, size_t size)
{
	struct sampling *s = arg;
	(void)size;

	if (!s->enough)
		s->enough = s->taker.take(s->taker.arg, data);
	return s->enough ? -ECANCELED : 0;
}

/* Sets the shared until_ns. Returns 0; -EBUSY if another process has changed it. */
static int swap_until(struct sampling *s, uint64_t until_ns)
{
	__u64 *shared = &s->f->state->sampler.until_ns;

	if (__sync_val_compare_and_swap(shared, s->until_ns, until_ns) != s->until_ns)
		return -EBUSY;
	s->until_ns = until_ns;
	return 0;
}

/* Renews the lease, for slow_path_put_reason(). */
static int renew(struct filter *f, void *arg)
{
	struct sampling *s = arg;
	int err = swap_until(s, READ_ONCE(f->state->last_ns) + DEDUP_SAMPLER_LEASE_NS);

	if (!err)
		s->renewed_ns = clock_ns(CLOCK_MONOTONIC);
	return err;
}

/* Takes the filter's sampler unless another process holds it. */
static int take_sampler(struct sampling *s)
{
	struct dedup_sampler *shared = &s->f->state->sampler;
	uint64_t last_ns = READ_ONCE(s->f->state->last_ns);
	int err;

	s->until_ns = READ_ONCE(shared->until_ns);
	if (s->until_ns > last_ns)
		err = -EBUSY;
	else
		err = swap_until(s, last_ns + DEDUP_SAMPLER_LEASE_NS);
	if (err)
		s->until_ns = 0;
	return err;
}

/* Removes the ring buffer from the filter. Afterwards the kernel writes no more samples. */
static void remove_ring(const struct sampling *s)
{
	WRITE_ONCE(s->f->state->sampler.reasons, 0);
	bpf_map_delete_elem(s->map_fd, &SLOT); /* waits until no packet uses it */
}

static int start_sampling(struct sampling *s, const struct sampling_request *request)
{
	struct dedup_sampler *shared = &s->f->state->sampler;

	/* A killed process may have left reasons, which would fill this process's ring buffer. */
	remove_ring(s);
	WRITE_ONCE(shared->pid, getpid());
	WRITE_ONCE(shared->streams, request->streams);
	WRITE_ONCE(shared->snap, request->snap);
	WRITE_ONCE(shared->rate, request->rate);
	WRITE_ONCE(shared->taken, 0);
	s->earlier = lost_so_far(s->f);
	if (bpf_map_update_elem(s->map_fd, &SLOT, &s->ring_fd, BPF_ANY))
		return -errno;
	WRITE_ONCE(shared->reasons, request->reasons);
	return slow_path_put_reason(s->f, renew, s);
}

/* Returns 0; -ESTALE if the hand has stopped: then packets are not examined, and no lease ends. */
static int check_hand(const struct filter *f)
{
	return stats_stopped(f->config, f->state, kernel_now_ns()) ? -ESTALE : 0;
}

static int open_ring(struct sampling *s)
{
	s->map_fd = filter_open_map(s->f, PIN_SAMPLES);
	if (s->map_fd < 0)
		return s->map_fd;
	s->ring_fd = bpf_map_create(BPF_MAP_TYPE_RINGBUF, "sampled", 0, 0, SAMPLING_RING_BYTES, NULL);
	if (s->ring_fd < 0)
		return -errno;
	s->ring = ring_buffer__new(s->ring_fd, deliver_sample, s, NULL);
	return s->ring ? 0 : -errno;
}

static void free_all(struct sampling *s)
{
	ring_buffer__free(s->ring);
	fd_close(s->ring_fd);
	fd_close(s->map_fd);
	free(s);
}

/* Releases the sampler if this process holds it. */
static void release_sampler(struct sampling *s)
{
	if (!s->until_ns || swap_until(s, READ_ONCE(s->f->state->last_ns) + DEDUP_SAMPLER_LEASE_NS))
		return;
	remove_ring(s);
	swap_until(s, 0);
}

int sampling_begin(struct filter *f, const struct sampling_request *request,
		   struct sampling_taker taker, struct sampling **out, uint32_t *pid)
{
	struct sampling *s = malloc(sizeof(*s));
	int err;

	if (!s)
		return -ENOMEM;
	*s = (struct sampling){ .f = f, .taker = taker, .map_fd = -1, .ring_fd = -1 };
	err = check_hand(f) ?: open_ring(s);
	if (!err) {
		err = take_sampler(s);
		*pid = READ_ONCE(f->state->sampler.pid);
	}
	if (!err)
		err = start_sampling(s, request);
	if (err) {
		release_sampler(s);
		free_all(s);
		return err;
	}
	*out = s;
	return 0;
}

int sampling_poll(struct sampling *s, int timeout_ms)
{
	int err = 0;

	if (clock_ns(CLOCK_MONOTONIC) - s->renewed_ns >= RENEW_NS) {
		err = filter_is_loaded(s->f)
		      ?: check_hand(s->f)
		      ?: slow_path_put_reason(s->f, renew, s);
		if (err)
			return err;
	}
	err = ring_buffer__poll(s->ring, timeout_ms);
	if (s->enough)
		return 1;
	return err < 0 && err != -EINTR ? err : 0;
}

void sampling_end(struct sampling *s, struct sampling_lost *lost)
{
	struct sampling_lost now;

	release_sampler(s);
	if (!s->enough)
		ring_buffer__consume(s->ring);
	now = lost_so_far(s->f);
	*lost = (struct sampling_lost){ .limited = now.limited - s->earlier.limited,
					.full = now.full - s->earlier.full };
	free_all(s);
}

static bool has_ring(const struct filter *f)
{
	int fd = filter_open_map(f, PIN_SAMPLES);
	uint32_t id;
	bool has;

	if (fd < 0)
		return false;
	has = !bpf_map_lookup_elem(fd, &SLOT, &id);
	close(fd);
	return has;
}

void sampling_find_process(const struct filter *f, struct sampling_process *out)
{
	const struct dedup_sampler *shared = &f->state->sampler;

	*out = (struct sampling_process){
		.pid = READ_ONCE(shared->pid),
		.request = { .reasons = READ_ONCE(shared->reasons),
			     .streams = READ_ONCE(shared->streams),
			     .snap = READ_ONCE(shared->snap),
			     .rate = READ_ONCE(shared->rate) },
	};
	/* A sampler without reasons is just beginning, or ending. */
	if (dedup_sampler_listens(shared, READ_ONCE(f->state->last_ns)))
		out->listens = out->request.reasons;
	else
		out->has_left = has_ring(f);
}
