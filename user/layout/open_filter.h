/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A filter that this process has open (open.h opens it). */
#ifndef XDP_DEDUP_OPEN_FILTER_H
#define XDP_DEDUP_OPEN_FILTER_H

#include <stdint.h>

#include "config.h"
#include "memory.h"

#define NAME_MAX_LEN 32

/* Beside the directory of a filter NAME there may be +NAME, a name that no filter can have: what is
 * about to take its place, or has just been in it (live_exchange.h).
 */
#define STAGING "+"

/* An open filter: its maps, mapped into this process. The kernel works on this memory meanwhile:
 * read what may change by READ_ONCE. If the filter has the previous format (config->format),
 * fields that this format lacks read as 0, and writing them does not reach the filter.
 */
struct filter {
	char name[sizeof(STAGING) + NAME_MAX_LEN]; /* of its directory: NAME or +NAME */
	const struct dedup_config *config;
	struct dedup_state *state;
	struct dedup_record *record; /* of its program */
	struct dedup_block *blocks;  /* dedup_blocks() of them */
	uint32_t state_id;	     /* kernel's id of the state map: which filter this is */
	int stream; /* ids are of this one; filter_open() sets it to the only one, 0; or to
		     * -1: there are several (streams.h)
		     */
	int stats_fd, wanted_fd;
	uint32_t counters_bytes; /* of a CPU in a row of `stats` */
	uint64_t serial; /* state->serial; if that is another one now, the filter may be opened anew */
	struct filter *predecessor; /* its predecessor, if filter_open_predecessor() has found one */
	struct filter *staged;	    /* what is in +NAME, if filter_open_change() has found it */
};

/* As users know it: NAME, also of what is in +NAME. */
static inline const char *filter_shown_name(const struct filter *f)
{
	return f->name + (*f->name == *STAGING);
}

#endif
