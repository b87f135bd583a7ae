/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets of numbered streams in a race, and how rows of tables write them:
 *
 *     NUMBER@JIFFIES     a packet with this number, at this time
 *     hand@JIFFIES       the hand, which passes all sources
 *
 * and behind it, what is not 0: +N: so many numbers more, or rounds of the hand; /N: of this
 * source; :N: by this path; !: looked up before the race, in which it is only noted.
 */
#ifndef XDP_DEDUP_TESTS_RACE_CALLS_H
#define XDP_DEDUP_TESTS_RACE_CALLS_H

#include "support.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define HAND 99	 /* a source that stands for the hand */
#define JUDGED 8 /* added to a path: it is looked up before the race */

/* A race: what came before, and one call of each CPU. */
struct race_text {
	const char *name;
	uint32_t width, ring_shift; /* as in struct dedup_recovery */
	const char *before, *calls;
};

struct call {
	uint64_t number, now;
	uint32_t more, path, source;
};

/* A source whose sender has begun anew: six far numbers came, none is near. */
#define RESTARTING "100@1 5000@3 5001@3 5002@3 5003@3 5004@3 5005@3"

static inline const char *race_parse_call(const char *text, struct call *c)
{
	char *end = (char *)text + strlen("hand");

	*c = (struct call){ 0 };
	if (!strncmp(text, "hand", strlen("hand")))
		c->source = HAND;
	else
		c->number = strtoull(text, &end, 10);
	for (text = end; *text && *text != ' '; text = end) {
		bool has_number = *text != '!';
		uint64_t value = has_number ? strtoull(text + 1, &end, 10) : 0;

		if (*text == '@')
			c->now = value;
		else if (*text == '+')
			c->more = value;
		else if (*text == '/')
			c->source = value;
		else if (*text == ':')
			c->path += value;
		else if (*text == '!')
			c->path += JUDGED;
		else
			fail_msg("a call does not go on with %s", text);
		if (!has_number)
			end = (char *)text + 1;
	}
	return text + (*text == ' ');
}

/* Returns how many there are: at most `room`. */
static inline int race_parse(const char *text, struct call *list, int room)
{
	int cnt = 0;

	while (*text) {
		assert_true(cnt < room);
		text = race_parse_call(text, &list[cnt++]);
	}
	return cnt;
}

#endif
