/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Subjects of messages, from a template: words separated by dots, of which {stream} and {machine}
 * are replaced by names. Pure.
 */
#ifndef XDP_DEDUP_PUBLISH_SUBJECT_H
#define XDP_DEDUP_PUBLISH_SUBJECT_H

#include <stdbool.h>

#define SUBJECT_MAX 256 /* bytes, with the 0 at the end */

/* Is it a template? Its subjects are no longer than SUBJECT_MAX, whatever the names are. */
bool subject_template_ok(const char *text);

/* Writes the subject of a template that is ok. Characters of a name that a word of a subject may
 * not have become '_'. machine NULL: a `*` in its place, and so for stream: the subjects of all.
 */
void subject_write(const char *text, const char *stream, const char *machine, char out[SUBJECT_MAX]);

#endif
