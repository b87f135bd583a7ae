/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Subjects of messages, from a template: words separated by dots. The words {stream} and {machine}
 * are replaced by names. Pure.
 */
#ifndef XDP_DEDUP_PUBLISH_SUBJECT_H
#define XDP_DEDUP_PUBLISH_SUBJECT_H

#include <stdbool.h>

#define SUBJECT_MAX 256 /* bytes, with the 0 at the end */

/* Returns whether the text is a template whose subjects fit SUBJECT_MAX with any names. */
bool subject_template_ok(const char *text);

/* Writes the subject of a valid template. Characters of a name that are invalid in a subject become
 * '_'. A NULL stream or machine becomes `*`, which matches all names.
 */
void subject_write(const char *text, const char *stream, const char *machine, char out[SUBJECT_MAX]);

#endif
