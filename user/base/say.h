/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tool tells people beside its output: one line each, on stderr. */
#ifndef XDP_DEDUP_SAY_H
#define XDP_DEDUP_SAY_H

/* What went wrong and what to do about it. Returns err, so that the place which
 * knows the most says it, and its callers only pass err on.
 */
__attribute__((format(printf, 2, 3))) int say_err(int err, const char *format, ...);

/* Done, but not quite as one might expect. */
__attribute__((format(printf, 1, 2))) void say_note(const char *format, ...);

#endif
