/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a program tells people beside its output: one line each, on stderr. */
#ifndef XDP_DEDUP_SAY_H
#define XDP_DEDUP_SAY_H

/* Each line begins with this program's name; "xdp-dedup" unless told. Kept, not copied. */
void say_as(const char *program);

/* What went wrong and what to do about it. Returns err, so that the place which
 * knows the most says it, and its callers only pass err on.
 */
__attribute__((format(printf, 2, 3))) int say_err(int err, const char *format, ...);

/* Done, but not quite as one might expect. */
__attribute__((format(printf, 1, 2))) void say_note(const char *format, ...);

/* How far it is, where stderr is a terminal: one line, which the next one takes the place of, or
 * whatever else is said here. Shorter than a terminal is wide.
 */
__attribute__((format(printf, 1, 2))) void say_progress(const char *format, ...);

/* Takes it away: before anything else is printed, and at the end. */
void say_progress_end(void);

#endif
