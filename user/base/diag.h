/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages for people: values, which receivers take. Nothing is printed here: programs install the
 * receiver that prints (print.h). Names and paths in a message may come from others: what could
 * control a terminal is shown as '?'.
 */
#ifndef XDP_DEDUP_DIAG_H
#define XDP_DEDUP_DIAG_H

#include <stddef.h>

#define DIAG_LINE_MAX_BYTES 8192 /* more of a message is cut, also when it is printed */

enum diag_kind {
	DIAG_ERR,  /* something failed */
	DIAG_NOTE, /* what was asked for is done, but something about it may surprise */
	DIAG_DONE, /* what was done, and what is there now */
};

/* A line of a file that is being read, or from which something came. path: NULL: of no file. */
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

/* Stands between finding and advice in the format of a message. In a value it is a control
 * character like any other, and shown as '?'.
 */
#define ADVICE "\x1f"

/* Reports what went wrong and, after the marker ADVICE, what to do about it. Returns err as it is
 * given, so that the function which knows the most can report and return in one statement; its
 * callers pass err on and report nothing.
 */
__attribute__((format(printf, 2, 3))) int diag_err(int err, const char *format, ...);

/* Reports a note. */
__attribute__((format(printf, 1, 2))) void diag_note(const char *format, ...);

/* Reports what was done. */
__attribute__((format(printf, 1, 2))) void diag_done(const char *format, ...);

/* Gives each message of the three above this location, until the next call. The path is not copied.
 * Returns the location until now: give it back to diag_at() at the end.
 */
struct diag_location diag_at(struct diag_location location);

/* The location of messages now. */
struct diag_location diag_location(void);

/* What takes messages. They nest: a message goes to the innermost receiver, or nowhere if there is
 * none. While `take` runs, the next outer receiver is the innermost: messages that `take` reports
 * or gives on go there.
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

/* Writes the message as one line without its end: "PATH:LINE: FINDING; ADVICE", without the parts
 * that it does not have. A line that is too long is cut. Returns buf.
 */
char *diag_text(const struct diag *d, char *buf, size_t size);

/* Reports how far a long operation is: a short line, which replaces the line before. */
__attribute__((format(printf, 1, 2))) void diag_progress(const char *format, ...);

/* The operation has ended: its line is erased. */
void diag_progress_end(void);

#endif
