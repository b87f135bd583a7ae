/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A filter that this process has open (open.h opens it). */
#pragma once

#include <stdint.h>

#include "config.h"
#include "memory.h"

#define NAME_MAX_LEN 32

/* Beside the directory of a filter NAME there may be +NAME, a name that no filter can have: it has
 * the program that is about to replace the filter's, or that was just replaced (live_exchange.h).
 */
#define STAGING "+"

/* An open filter: its maps, mapped into this process. The kernel changes this memory meanwhile: use
 * READ_ONCE. If the filter has the previous format (config->format), fields that this format lacks
 * read as 0, and writes to them do not reach the filter.
 */
struct filter {
	char name[sizeof(STAGING) + NAME_MAX_LEN]; /* of its directory: NAME or +NAME */
	const struct dedup_config *config;
	struct dedup_state *state;
	struct dedup_record *record; /* of its program */
	struct dedup_block *blocks;  /* dedup_blocks() of them */
	uint32_t state_id;	     /* kernel's id of the state map, which identifies the filter */
	int stream; /* the stream of ids. filter_open() sets it to 0 if there is only one stream,
		     * else to -1 (streams.h)
		     */
	int stats_fd, wanted_fd;
	uint32_t counters_bytes; /* of a CPU in a row of `stats` */
	uint64_t serial; /* state->serial; if that has changed, the filter should be opened again */
	struct filter *predecessor; /* its predecessor, if filter_open_predecessor() has found one */
	struct filter *staged;	    /* the filter in +NAME, if filter_open_change() has found it */
};

/* Returns the name for users: NAME, also for a filter in +NAME. */
static inline const char *filter_shown_name(const struct filter *f)
{
	return f->name + (*f->name == *STAGING);
}
