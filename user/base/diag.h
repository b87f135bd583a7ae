/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages for people. A message is a value that a receiver takes. This file prints nothing:
 * programs install the receiver that prints (print.h). Names and paths in a message may be hostile:
 * a byte that could control a terminal is shown as '?'.
 */
#pragma once

#include <stddef.h>

#define DIAG_LINE_MAX_BYTES 8192 /* longer messages are truncated */

enum diag_kind {
	DIAG_ERR,  /* something failed */
	DIAG_NOTE, /* the request succeeded, but something about the result may surprise */
	DIAG_DONE, /* what was done, and the result */
};

/* The line of a file that a message is about. path NULL: no file. */
struct diag_location {
	const char *path;
	unsigned int line;
};

/* One message. Its texts are valid only while a receiver takes it. */
struct diag {
	enum diag_kind kind;
	struct diag_location location;
	const char *finding; /* what was found */
	const char *advice;  /* what to do about it; NULL: nothing */
};

/* The marker between finding and advice in the format of a message. In a value it is a control
 * character, and shown as '?'.
 */
#define ADVICE "\x1f"

/* Reports what failed and, after the marker ADVICE, what to do about it. Returns err, so that the
 * function that knows the cause can report and return in one statement. Its callers return err, and
 * report nothing.
 */
__attribute__((format(printf, 2, 3))) int diag_err(int err, const char *format, ...);

/* Reports a note. */
__attribute__((format(printf, 1, 2))) void diag_note(const char *format, ...);

/* Reports what was done. */
__attribute__((format(printf, 1, 2))) void diag_done(const char *format, ...);

/* Sets the location of the messages of the three functions above. The path is not copied. Returns
 * the previous location: the caller passes it to diag_at() at the end.
 */
struct diag_location diag_at(struct diag_location location);

/* Returns the current location of messages. */
struct diag_location diag_location(void);

/* A receiver takes the messages of the thread that has installed it. Receivers nest: a message goes
 * to the innermost one; without a receiver it is discarded. While `take` runs, the next outer
 * receiver is the innermost one: it gets the messages that `take` reports or passes on by
 * diag_give().
 */
struct diag_receiver {
	void (*take)(void *to, const struct diag *d);
	void (*progress)(void *to, const char *line); /* NULL: the next outer receiver shows it */
	void *to;
	struct diag_receiver *outer; /* set by diag_receive() */
};

/* Makes *r the innermost receiver, until diag_receive_end(). */
void diag_receive(struct diag_receiver *r);

/* Ends *r, which must be the innermost receiver. */
void diag_receive_end(struct diag_receiver *r);

/* Gives a message to the innermost receiver. */
void diag_give(const struct diag *d);

/* Writes the message as one line without line end: "PATH:LINE: FINDING; ADVICE", of which location
 * and advice may be missing. A line that is too long is truncated. Returns buf.
 */
char *diag_text(const struct diag *d, char *buf, size_t size);

/* Reports the progress of a long operation: a short line that replaces the previous one. */
__attribute__((format(printf, 1, 2))) void diag_progress(const char *format, ...);

/* Ends the operation: its line is erased. */
void diag_progress_end(void);
