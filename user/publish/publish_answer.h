/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JetStream's answers to a published message: JSON objects. A success has the stream and the
 * message's sequence number, and `duplicate` if the engine knew the id; a failure has `error`. A
 * hostile server may send any bytes. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANSWER_TEXT_MAX 128

struct publish_answer {
	bool ok;	     /* the message is stored */
	bool duplicate;	     /* ok: it was stored before */
	bool is_unavailable; /* !ok: no server has the stream now; not counted as attempt */
	bool is_in_progress; /* the engine is storing a message with this id; ok: or has stored it */
	bool is_too_large;   /* !ok: the stream takes no message of this size */
	int32_t code;	     /* !ok: of the error; 0: not an answer of JetStream */
	char text[ANSWER_TEXT_MAX]; /* !ok: the error */
};

/* Reads an answer of a stream of this template (subject.h); one of another stream is not ok. */
void publish_answer_read(const char *bytes, size_t len, const char *stream,
			 struct publish_answer *out);
