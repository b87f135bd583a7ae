/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Verbs that are no operations (control.h). Each gets its options parsed, prints its output, logs
 * what goes wrong, and returns an enum exit_code.
 */
#ifndef XDP_DEDUP_VERBS_H
#define XDP_DEDUP_VERBS_H

#include <stdbool.h>

#include "exit.h"
#include "open_filter.h"
#include "options.h"

#define PROFILE_USAGE "list | show NAME | check FILE"

int verb_check(const struct options *o);
int verb_status(const struct options *o);
int verb_watch(const struct options *o);
int verb_rotate(const struct options *o);
int verb_reset(const struct options *o);
int verb_add(const struct options *o);
int verb_test(const struct options *o);
int verb_remove(const struct options *o);
int verb_want(const struct options *o);
int verb_sample(const struct options *o);
int verb_size(const struct options *o);
int verb_profile(const struct options *o);
int verb_replay(const struct options *o);

/* For verbs that need the hand (verb_rotate.c): has it stopped, after which the filter says nothing
 * about ids? Then logs it, or that another filter has the name, or none.
 */
bool hand_has_stopped(const struct filter *f);

/* Logs that the open filter is no longer the one of its name. Returns -ENOENT. */
int explain_gone(const struct filter *f);

#endif
