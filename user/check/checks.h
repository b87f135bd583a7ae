/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks whether a filter will work on this host. `load` makes the checks of things that it needs,
 * `check` makes all checks. Both report equal findings.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "attach.h"
#include "config.h"
#include "links.h"
#include "spec.h"

/* What is to be loaded where. */
struct checks_subject {
	const struct placement *where;
	const struct filter_spec *spec;
	const char *name; /* for checks_make(): the filter's name; NULL: the default name */
	uint64_t fitting_window_ns; /* the longest window that fits all profiles; 0: no limit */
	const struct dedup_config *plan; /* the spec's; NULL: there is none */
	const struct links *links;	 /* the interfaces as they are now */
	bool force; /* what loses messages behind the filter is a note, and no problem */
};

enum check_verdict {
	CHECK_OK,
	CHECK_NOTE,    /* load works, but with a limitation, or not as users may expect */
	CHECK_UNKNOWN, /* the result is unknown */
	CHECK_PROBLEM, /* load fails */
};

/* One value of a finding, for programs. */
struct check_value {
	const char *key; /* lower case, '_', with its unit; unique among all checks */
	enum { VALUE_NUMBER, VALUE_FLAG, VALUE_TEXT } kind;
	uint64_t number; /* flag: 0 or 1 */
	const char *text;
};

struct check_finding {
	const char *check;  /* the check's name: lower case, '_' */
	const char *ifname; /* the interface; NULL: the host, or all interfaces */
	enum check_verdict verdict;
	const char *found;		  /* the finding */
	const char *advice;		  /* what the user can do; NULL: nothing */
	const struct check_value *values; /* all values of this check */
	int values_cnt;
};

/* Makes the checks of things that load needs, after plan_local() and lock_take(). Stops at the
 * first problem. Returns 0, or -errno (logged).
 */
int checks_demand(const struct checks_subject *s);

/* Logs notes about a filter after load. */
void checks_note(const struct checks_subject *s);

/* Logs notes on messages that are lost behind a filter that runs; s->force is set. */
void checks_behind(const struct checks_subject *s);

typedef void (*check_report)(void *to, const struct check_finding *finding);

/* Makes all checks, and changes nothing in the system. Reports each finding by report(); a check
 * may have several findings. Logs nothing else. Ignores `plan` and `links` of the subject, and
 * makes its own. May move this process to another mount namespace (bpffs_ready()). Returns the
 * worst verdict.
 */
enum check_verdict checks_make(const struct checks_subject *s, check_report report, void *to);

/* "ok", "note", "unknown" or "problem". */
const char *check_verdict_name(enum check_verdict verdict);
