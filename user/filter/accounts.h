/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads the accounts of the sources of numbered streams (include/account.h) from a live filter, in
 * the mapped memory, without a system call, while packets change it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "account.h"
#include "open_filter.h"

/* Which of a source's numbers a path has brought. A number is lost if it left the history before
 * this path brought it. It is missing if it is in the history, and this path has brought a higher
 * one.
 */
struct path_figures {
	int stream; /* of the configuration; -1: the filter does not have it any more */
	uint32_t ifindex;
	uint64_t messages; /* that the source has sent since this path brought its first one */
	uint64_t lost, missing;
	uint64_t lacking; /* missing numbers that other paths have brought */
	uint64_t behind; /* numbers of the source that are higher than all that this path brought */
	bool silent;	 /* this path brings nothing, while others do */
	struct dedup_path counted;
};

struct source_figures {
	uint32_t source; /* its number, for accounts_read() */
	uint32_t stream; /* of the configuration: the first one of its realm */
	uint32_t words;	 /* of the id */
	struct dedup_id id;
	uint64_t messages;	/* that it has sent since its first one arrived */
	uint64_t lost, missing; /* on all paths */
	uint64_t restarts;	/* how often its numbers began again, instead of going on */
	uint64_t others;	/* packets of further paths, for which there was no room */
	uint64_t jumped;	/* numbers that were skipped when it went on after silences */
	uint64_t since_ns;	/* CLOCK_MONOTONIC: when the account began */
	/* There are several paths, and none is silent, or misses a number that another brought. */
	bool redundant;
	bool partial;		 /* it also numbers packets for other hosts, which count as lost */
	bool is_first_numbering; /* it has neither restarted nor jumped over a history */
	uint64_t begin, high;	 /* the numbering's first and highest number, below 2^40 */
	uint32_t paths_cnt;
	struct path_figures paths[DEDUP_PATHS_MAX]; /* in the order of their first packets */
};

/* Reads the account of the source with this number, below f->config->sources.sources. Returns false
 * if there is no such source, if it has no account yet, or if its account is part of another one's
 * (accounts_across.c). If packets come faster than the account is read, `lost` may be too low for a
 * while; it is never too high.
 */
bool accounts_read(const struct filter *f, uint32_t source, struct source_figures *out);

/* For accounts_read(): reads a single source, even if its sender's numbers crossed a multiple of
 * 2^40, and other sources are parts of the sender.
 */
bool accounts_read_part(const struct filter *f, uint32_t source, struct source_figures *out);

/* Sets which paths of the source are silent, and whether the source is redundant. */
void accounts_judge_paths(const struct filter *f, struct source_figures *s);

/* Returns the highest skew in ns that this bucket counts; UINT64_MAX for the last bucket. */
uint64_t accounts_skew_ns(int bucket);

/* Returns the skew in ns that this part (0 to 1) of the path's copies did not exceed, rounded up to
 * a value of accounts_skew_ns(); 0 if there is no skew.
 */
uint64_t accounts_skew_quantile(const struct dedup_path *path, double part);
