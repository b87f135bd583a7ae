/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A note that may come often. The first note is logged at once. Further ones are counted: a line in
 * LOG_RATE_NS, at most, has the text of the last note, and the number of notes before it that had
 * no line. Pure: the caller has the clock.
 */
#ifndef XDP_DEDUP_PUBLISH_LOG_RATE_H
#define XDP_DEDUP_PUBLISH_LOG_RATE_H

#include <stdint.h>

#define LOG_RATE_NS 10000000000ULL
#define LOG_RATE_TEXT_MAX 640

struct log_rate {
	uint64_t quiet_until_ns; /* no line before */
	uint64_t cnt;		 /* notes since the last line */
	char text[LOG_RATE_TEXT_MAX];
};

/* Adds a note that has come `times` times. */
__attribute__((format(printf, 4, 5))) void log_rate_note(struct log_rate *r, uint64_t now_ns,
							 uint64_t times, const char *format, ...);

/* Logs what is left, if it is time. Called now and then. */
void log_rate_look(struct log_rate *r, uint64_t now_ns);

/* Logs what is left. */
void log_rate_end(struct log_rate *r);

#endif
