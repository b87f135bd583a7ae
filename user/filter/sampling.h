/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Receives samples from a live filter: copies of packets that it drops, or that are new. How it
 * works: include/sample.h. Logs nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "open_filter.h"
#include "sample.h"

#define SAMPLING_RATE_MAX 1000000
#define SAMPLING_RING_BYTES (1 << 20) /* some 3,000 small frames or 100 jumbo ones; a power of 2 */

/* Reasons of packets that are dropped, or would be without --action count; and of packets that are
 * new, or pass like new ones.
 */
#define SAMPLING_DROPS (1U << DEDUP_REASON_duplicate | 1U << DEDUP_REASON_ihave_duplicate)
#define SAMPLING_NEW                                                                            \
	(1U << DEDUP_REASON_new | 1U << DEDUP_REASON_unlearned | 1U << DEDUP_REASON_ihave_new | \
	 1U << DEDUP_REASON_wanted | 1U << DEDUP_REASON_untaken)

struct sampling_request {
	uint32_t reasons; /* bit n: enum dedup_reason n; of SAMPLING_DROPS and SAMPLING_NEW */
	uint32_t streams; /* bit n: those whose slot is n, modulo DEDUP_SLOTS (kept.h) */
	uint32_t snap;	  /* bytes of a frame, 1 to DEDUP_SNAP_MAX */
	uint32_t rate;	  /* samples in a second, 1 to SAMPLING_RATE_MAX */
};

/* Samples that were requested and lost. */
struct sampling_lost {
	uint64_t limited; /* by `rate`: there were more in a second */
	uint64_t full;	  /* the ring buffer was full: this process was too slow */
};

struct sampling;

/* Called with each sample, which is valid until the function returns. Returns not 0 to end. */
typedef int (*sampling_fn)(void *arg, const struct dedup_sample *sample);

struct sampling_taker {
	sampling_fn take;
	void *arg;
};

/* Begins to sample an open filter, which must stay open until sampling_end(). Needs kernel_ready().
 * Returns 0; -EBUSY if another process samples, which has the id *pid in its PID namespace; -ENOENT
 * if the filter has been unloaded; -ESTALE if the hand has stopped; another -errno.
 */
int sampling_begin(struct filter *f, const struct sampling_request *request,
		   struct sampling_taker taker, struct sampling **out, uint32_t *pid);

/* Waits for samples until timeout_ms are over or a signal arrives, and passes them to take(). Call
 * it at least once a second, or another process may take over. Returns 0 to go on; 1 if take() has
 * ended it; -EBUSY if another process has taken over; -ENOENT if the filter has been unloaded;
 * -ESTALE if the hand has stopped; another -errno.
 */
int sampling_poll(struct sampling *s, int timeout_ms);

/* Ends sampling: passes the last samples to take(), unless that has ended it, and frees everything.
 * *lost: all losses since sampling_begin().
 */
void sampling_end(struct sampling *s, struct sampling_lost *lost);

/* The process that samples a filter. */
struct sampling_process {
	bool listens;  /* there is a sampler now */
	bool has_left; /* a sampler was killed, or is late; its ring buffer remains */
	uint32_t pid;  /* its process id in its own PID namespace */
	struct sampling_request request; /* only if it listens */
};

/* Finds the process that samples the filter, without changing anything. If that is unknown, *out is
 * as without a sampler.
 */
void sampling_find_process(const struct filter *f, struct sampling_process *out);
