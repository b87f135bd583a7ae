/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Subjects of messages and names of JetStream streams, from templates. In a subject, the words
 * {stream}, {machine} and {shard} are replaced; in a stream's name {stream} and {shard}, also
 * inside a word. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SUBJECT_MAX 256 /* bytes of a subject or stream's name, with the 0 at the end */
#define SUBJECT_STREAM "{stream}"
#define SUBJECT_MACHINE "{machine}"
#define SUBJECT_SHARD "{shard}"
#define SUBJECT_SHARDS_MAX 64
#define SUBJECT_ANY_SHARD UINT32_MAX

/* Return whether the text is a template whose subjects, or names, fit SUBJECT_MAX with any names. */
bool subject_template_ok(const char *text);
bool subject_stream_template_ok(const char *text);

/* Writes the subject, or name, of a valid template. Characters of a name that are invalid in a
 * subject become '_'; NULL and SUBJECT_ANY_SHARD become `*`, which matches all.
 */
void subject_write(const char *text, const char *stream, const char *machine, uint32_t shard,
		   char out[SUBJECT_MAX]);

/* Returns the shard of a message id, from 0 to shards - 1 (0 if shards is 0): FNV-1a of 32 bits,
 * modulo shards. Equal on all machines.
 */
uint32_t subject_shard(const char *id, uint32_t shards);

/* Returns whether a stream's name may be of this template: it begins and ends as the template. */
bool subject_is_of(const char *text, const char *name);
