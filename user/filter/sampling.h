/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Receives samples from a live filter: copies of packets that it drops, or that are new.
 * include/sample.h explains how. Logs nothing.
 */
#ifndef XDP_DEDUP_SAMPLING_H
#define XDP_DEDUP_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "open_filter.h"
#include "sample.h"

#define SAMPLING_RATE_MAX 1000000
#define SAMPLING_RING_BYTES (1 << 20) /* some 3,000 small frames or 100 jumbo ones; a power of 2 */

/* Reasons of packets that are dropped, or would be but for --action count; and of packets that are
 * new, or pass as if they were.
 */
#define SAMPLING_DROPS (1U << DEDUP_REASON_duplicate | 1U << DEDUP_REASON_ihave_duplicate)
#define SAMPLING_NEW                                                                            \
	(1U << DEDUP_REASON_new | 1U << DEDUP_REASON_unlearned | 1U << DEDUP_REASON_ihave_new | \
	 1U << DEDUP_REASON_wanted)

struct sampling_wish {
	uint32_t reasons; /* bit n: enum dedup_reason n; of SAMPLING_DROPS and SAMPLING_NEW */
	uint32_t streams; /* bit n: those whose slot is n, modulo DEDUP_SLOTS (kept.h) */
	uint32_t snap;	  /* bytes of a frame, 1 to DEDUP_SNAP_MAX */
	uint32_t rate;	  /* samples in a second, 1 to SAMPLING_RATE_MAX */
};

/* Samples that were wished for and lost. */
struct sampling_lost {
	uint64_t limited; /* more than `rate` in a second */
	uint64_t full;	  /* no room in the ring buffer: this process was too slow */
};

struct sampling;

/* Gets each sample, which is valid until the function returns. Returns not 0 to get no more. */
typedef int (*sampling_fn)(void *arg, const struct dedup_sample *sample);

struct sampling_taker {
	sampling_fn take;
	void *arg;
};

/* Begins to sample an open filter, which must stay open until sampling_end(). kernel_ready() was
 * called before. Returns 0; -EBUSY if another process samples: *pid, as it sees itself; -ENOENT if
 * the filter has been unloaded; -ESTALE if the hand has stopped; another -errno.
 */
int sampling_begin(struct filter *f, const struct sampling_wish *wish, struct sampling_taker taker,
		   struct sampling **out, uint32_t *pid);

/* Waits for samples, until timeout_ms are over or a signal comes, and gives them to take(). Called
 * at least once a second, or another process may take over. Returns 0 to go on; 1 if take() wants
 * no more; -EBUSY if another process has taken over; -ENOENT if the filter has been unloaded;
 * -ESTALE if the hand has stopped; another -errno.
 */
int sampling_poll(struct sampling *s, int timeout_ms);

/* Ends sampling: gives take() the samples that have come, unless it wants no more, and frees
 * everything. *lost: all losses since sampling_begin().
 */
void sampling_end(struct sampling *s, struct sampling_lost *lost);

/* The process that samples a filter. */
struct sampling_process {
	bool listens;		   /* there is a sampler now */
	bool has_left;		   /* a sampler was killed, or is late; its ring buffer remains */
	uint32_t pid;		   /* its process id in its own PID namespace */
	struct sampling_wish wish; /* set if it listens */
};

/* Finds the process that samples the filter, and changes nothing. If that is unknown, *out is as
 * without a sampler.
 */
void sampling_look(const struct filter *f, struct sampling_process *out);

#endif
