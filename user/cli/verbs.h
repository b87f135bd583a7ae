/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Verbs that are no operations (control.h). Each gets parsed options, prints its output, logs
 * errors, and returns an enum exit_code.
 */
#pragma once

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
int verb_lost(const struct options *o);
int verb_size(const struct options *o);
int verb_profile(const struct options *o);
int verb_replay(const struct options *o);

/* Returns whether the filter's hand has stopped: then the filter knows no ids. Logs that, or that
 * the filter was unloaded or replaced. In verb_rotate.c, for verbs that need the hand.
 */
bool hand_has_stopped(const struct filter *f);

/* Logs that the open filter was unloaded or replaced. Returns -ENOENT. */
int explain_gone(const struct filter *f);
