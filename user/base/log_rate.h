/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Limits how often a note is logged. The first note is logged at once. Further notes are counted,
 * and at most one line in LOG_RATE_NS shows the text of the last note and the number of notes that
 * had no line. Pure: the caller reads the clock.
 */
#pragma once

#include <stdint.h>

#define LOG_RATE_NS 10000000000ULL
#define LOG_RATE_TEXT_MAX 640

struct log_rate {
	uint64_t quiet_until_ns; /* no line is logged before this time */
	uint64_t cnt;		 /* notes since the last line */
	char text[LOG_RATE_TEXT_MAX];
};

/* Adds a note that occurred `times` times. */
__attribute__((format(printf, 4, 5))) void log_rate_note(struct log_rate *r, uint64_t now_ns,
							 uint64_t times, const char *format, ...);

/* Logs counted notes if their time has come. The caller calls it regularly. */
void log_rate_flush_due(struct log_rate *r, uint64_t now_ns);

/* Logs counted notes at once. */
void log_rate_flush(struct log_rate *r);
