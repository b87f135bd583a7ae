/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Listens to a live filter: copies of packets that it drops, or that are new. include/sample.h says
 * how that works. Logs nothing.
 */
#ifndef XDP_DEDUP_SAMPLING_H
#define XDP_DEDUP_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include "open_filter.h"
#include "sample.h"

#define SAMPLING_RATE_MAX 1000000
#define SAMPLING_RING_BYTES (1 << 20) /* some 3,000 small frames or 100 jumbo ones; a power of 2 */

/* Which packets: what is dropped, or would be but for --action count; what is new, or passes as if
 * it were.
 */
#define SAMPLING_DROPS (1U << DEDUP_REASON_duplicate | 1U << DEDUP_REASON_ihave_duplicate)
#define SAMPLING_NEW                                                                            \
	(1U << DEDUP_REASON_new | 1U << DEDUP_REASON_unlearned | 1U << DEDUP_REASON_ihave_new | \
	 1U << DEDUP_REASON_wanted)

struct sampling_wish {
	uint32_t reasons; /* bit n: enum dedup_reason n; of those above */
	uint32_t streams; /* bit n: those whose slot is n, modulo DEDUP_SLOTS (kept.h) */
	uint32_t snap;	  /* bytes of a frame, 1 to DEDUP_SNAP_MAX */
	uint32_t rate;	  /* samples in a second, 1 to SAMPLING_RATE_MAX */
};

/* What was to be seen, and was not. */
struct sampling_lost {
	uint64_t limited; /* more than `rate` in a second */
	uint64_t full;	  /* no room in the ring buffer, for this process did not keep up */
};

struct sampling;

/* Gets each sample, which is valid until it returns. Not 0: it wants no more. */
typedef int (*sampling_fn)(void *arg, const struct dedup_sample *sample);

struct sampling_taker {
	sampling_fn take;
	void *arg;
};

/* Begins to listen to an open filter, which stays open until sampling_end(); kernel_ready() was
 * called. 0; -EBUSY: another process listens, that of *pid, as it sees itself; -ENOENT: the filter
 * has been unloaded; -ESTALE: the hand has stopped; another -errno.
 */
int sampling_begin(struct filter *f, const struct sampling_wish *wish, struct sampling_taker taker,
		   struct sampling **out, uint32_t *pid);

/* Waits for samples, at most timeout_ms or until a signal, and gives them to take(). To be called
 * at least once a second, or another process may take over. 0: go on; 1: take() wants no more;
 * -EBUSY: another process has taken over; -ENOENT: the filter has been unloaded; -ESTALE: the hand
 * has stopped; another -errno.
 */
int sampling_poll(struct sampling *s, int timeout_ms);

/* Listens no longer, gives take() what has come until then unless it wants no more, and frees
 * everything. *lost is of all the time.
 */
void sampling_end(struct sampling *s, struct sampling_lost *lost);

/* Who listens to a filter. */
struct sampling_who {
	bool listens; /* somebody does */
	bool has_left; /* somebody did, and was killed or is held up: the ring buffer is still there */
	uint32_t pid;		   /* whose, as it sees itself */
	struct sampling_wish wish; /* set if it listens */
};

/* Tells who samples the filter, and changes nothing. What cannot be told counts as not there. */
void sampling_look(const struct filter *f, struct sampling_who *out);

#endif
