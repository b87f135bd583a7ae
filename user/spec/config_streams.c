// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config_streams.h"

#include <string.h>

int stream_number(const struct dedup_config *c, const char *name)
{
	for (uint32_t n = 0; n < c->policy.streams_cnt; n++)
		if (!strcmp(c->policy.streams[n].name, name))
			return (int)n;
	return -1;
}

bool stream_is_gsp(const struct dedup_config *c, uint32_t n)
{
	return c->policy.streams[n].decoder == DEDUP_GSP;
}

uint32_t stream_fields_bytes(const struct dedup_stream *s)
{
	uint32_t bytes = 0;

	if (s->decoder == DEDUP_GSP)
		return 8 * s->words;
	for (uint32_t i = 0; i < s->loads_cnt; i++)
		bytes += s->loads[i].bytes;
	return bytes;
}

static bool is_stream_sound(const struct dedup_stream *s)
{
	uint32_t digests = s->digest != DEDUP_DIGEST_NONE;

	if (!s->words || s->words > DEDUP_ID_WORDS_MAX || s->gates_cnt > DEDUP_GATES_MAX ||
	    s->digest_max > DEDUP_DIGEST_MAX || !memchr(s->name, 0, sizeof(s->name)))
		return false;
	if (s->decoder == DEDUP_GSP)
		return true;
	for (uint32_t i = 0; i < s->loads_cnt && i < DEDUP_ID_WORDS_MAX; i++)
		if (s->loads[i].bytes > 8)
			return false;
	return s->loads_cnt + digests == s->words;
}

bool streams_sound(const struct dedup_config *c)
{
	if (!c->policy.streams_cnt || c->policy.streams_cnt > DEDUP_STREAMS_MAX)
		return false;
	for (uint32_t i = 0; i < c->policy.streams_cnt; i++)
		if (!is_stream_sound(&c->policy.streams[i]))
			return false;
	return true;
}
