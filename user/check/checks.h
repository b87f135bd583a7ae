/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks whether a filter will work here. `load` makes the checks of things that it needs, `check`
 * makes all checks. Both report equal findings.
 */
#ifndef XDP_DEDUP_CHECKS_H
#define XDP_DEDUP_CHECKS_H

#include "check_subject.h"

/* Makes the checks of things that load needs, which follow plan_here() and lock_take(). Stops at
 * the first problem. Returns 0, or -errno (logged).
 */
int checks_demand(const struct checks_subject *s);

/* Logs notes about a filter that was loaded. */
void checks_note(const struct checks_subject *s);

typedef void (*check_report)(void *to, const struct check_finding *finding);

/* Makes all checks, and changes nothing in the system. Reports each finding by report(); a check
 * may have several findings. Logs nothing else. Does not use `plan` and `links` of the subject, but
 * makes its own. This process may be in another mount namespace afterwards (bpffs_ready()). Returns
 * the worst verdict.
 */
enum check_verdict checks_make(const struct checks_subject *s, check_report report, void *to);

/* "ok", "note", "unknown" or "problem". */
const char *check_verdict_name(enum check_verdict verdict);

#endif
