/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Finds the duplicates in a capture, by destination: which packets are byte-identical to an earlier
 * one, which duplicates the built-in profiles' ids show, and which filter is best. Logs nothing.
 */
#pragma once

#include <stdint.h>

#include "capture.h"
#include "survey_result.h"

struct survey;

/* Opens a survey. `tunnels`: those that it opens, to survey the inner packets; NULL: all, at their
 * usual ports. `memory`: bytes for the ids, which limit the age of duplicates that are found;
 * counts take at most some 40 MB more. Only one survey may be open at a time, and until
 * survey_end() no engine (engine.h) or other user of program.h. Returns 0, and the caller closes
 * *out with survey_close(); or -ENOMEM, or -EINVAL (logged).
 */
int survey_open(uint64_t memory, const struct dedup_tunnels *tunnels, struct survey **out);

/* Adds the capture's next packet. Returns 0, or -ENOMEM. */
int survey_note(struct survey *s, const struct capture_frame *f);

/* Ends the survey: judges all packets, and frees the memory for ids. Returns the result, valid
 * until survey_close(); NULL if there is no memory. Called once.
 */
const struct survey_result *survey_end(struct survey *s);

void survey_close(struct survey *s); /* accepts NULL */
