/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* JetStream's answers to a published message: JSON objects. A good one has the stream and the
 * message's sequence number in it, and `duplicate` if the engine knew the id; a bad one has
 * `error`. Answers are hostile: any bytes. Pure.
 */
#ifndef XDP_DEDUP_PUBLISH_ANSWER_H
#define XDP_DEDUP_PUBLISH_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANSWER_TEXT_MAX 128

struct publish_answer {
	bool ok;		    /* the message is stored: now, or it was before */
	bool duplicate;		    /* before */
	bool is_away;		    /* !ok: no server has the stream now; this is no try */
	bool is_under_way;	    /* !ok: a message with this id is just being stored */
	int32_t code;		    /* !ok: of the error; 0: this was no answer of JetStream's */
	char text[ANSWER_TEXT_MAX]; /* !ok: what is wrong */
};

/* Reads an answer for this stream: one for another stream is not ok. */
void publish_answer_read(const char *bytes, size_t len, const char *stream,
			 struct publish_answer *out);

#endif
