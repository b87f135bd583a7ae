// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "renumber.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "profile.h"
#include "streams.h"

/* As format 13, the last one without numbered streams, had them. */
static const char BY_BYTES[] = "[profile moldudp64]\n"
			       "layer = udp\n"
			       "exempt = payload+18:2 == 0x0000\n"
			       "exempt = payload+18:2 == 0xffff\n"
			       "id = payload+0:20\n"
			       "[profile rtp]\n"
			       "layer = udp\n"
			       "require = payload+0:1/0xc0 == 0x80\n"
			       "exempt = payload+1:1/0xe0 == 0xc0\n"
			       "id = payload+2:10\n"
			       "[profile r-tag]\n"
			       "layer = ethernet\n"
			       "ethertype = 0xf1c1\n"
			       "id = frame+0:12 frame+14:2/0x0fff frame+18:2/0x0fff tag+2:2\n"
			       "[profile hsr]\n"
			       "layer = ethernet\n"
			       "ethertype = 0x892f\n"
			       "require = frame+0:1/0x01 == 0x00\n"
			       "exempt = tag+4:2 == 0x88fb\n"
			       "exempt = tag+4:2 == 0x88f7\n"
			       "id = frame+6:6 tag+0:6/0x0fffffffffff\n"
			       "[profile prp]\n"
			       "layer = ethernet\n"
			       "require = end-2:2 == 0x88fb\n"
			       "require = end-4:1/0xe0 == 0xa0\n"
			       "exempt = frame+12:2 == 0x88fb\n"
			       "exempt = frame+16:2 == 0x88fb\n"
			       "exempt = frame+12:2 == 0x88f7\n"
			       "exempt = frame+16:2 == 0x88f7\n"
			       "id = frame+6:6 end-6:6/0xffff0fffffff\n";

/* The profiles of both times. */
struct both {
	struct profiles before, now;
};

/* Has the stream the conditions and the id of the profile? */
static bool is_of_profile(const struct spec_stream *s, const struct dedup_stream *p)
{
	const struct dedup_stream *st = &s->stream;

	return !s->numbered.width && st->layer == p->layer && st->decoder == p->decoder &&
	       st->ethertype == p->ethertype && st->digest == p->digest && st->words == p->words &&
	       st->gates_cnt == p->gates_cnt && st->loads_cnt == p->loads_cnt &&
	       !memcmp(st->gates, p->gates, sizeof(st->gates)) &&
	       !memcmp(st->loads, p->loads, sizeof(st->loads));
}

/* The profile, as it is now, of which the stream was made; NULL: there is none. */
static const struct profile *find_profile(const struct both *b, const struct spec_stream *s)
{
	for (size_t i = 0; i < b->before.cnt; i++)
		if (is_of_profile(s, &b->before.list[i].stream))
			return profiles_find(&b->now, b->before.list[i].stream.name);
	return NULL;
}

/* Are all streams of stream n's realm of such profiles? */
static bool is_whole_realm(const struct both *b, const struct filter_spec *spec, uint32_t n)
{
	for (uint32_t i = 0; i < spec->streams_cnt; i++)
		if (spec->streams[i].stream.realm == spec->streams[n].stream.realm &&
		    !find_profile(b, &spec->streams[i]))
			return false;
	return true;
}

static void renumber_stream(struct spec_stream *s, const struct profile *p)
{
	struct dedup_stream was = s->stream;

	s->stream = p->stream;
	s->numbered = p->numbered;
	memcpy(s->stream.name, was.name, sizeof(was.name));
	s->stream.realm = was.realm;
	s->stream.forwarded = was.forwarded;
}

static int renumber_all(const struct both *b, struct filter_spec *spec, uint32_t *ret_streams,
			char *says)
{
	struct filter_spec next = *spec;
	const char *refusal;
	uint32_t streams = 0;

	for (uint32_t n = 0; n < spec->streams_cnt; n++) {
		if (!is_whole_realm(b, spec, n))
			continue;
		renumber_stream(&next.streams[n], find_profile(b, &spec->streams[n]));
		streams |= 1U << n;
	}
	refusal = streams ? streams_refusal(&next, says) : NULL;
	if (refusal) {
		if (refusal != says)
			snprintf(says, STREAMS_SAYS_MAX, "%s", refusal);
		return -EINVAL;
	}
	*spec = next;
	*ret_streams = streams;
	return 0;
}

int renumber_streams(struct filter_spec *spec, uint32_t *ret_streams, char *says)
{
	struct profile_error wrong;
	struct both b = { 0 };
	int err = 0;

	/* A version whose profiles are numbered has loaded ids of bytes only where it was told to. */
	if (spec->profiles_format) {
		*ret_streams = 0;
		return 0;
	}
	/* They are right: tests compile each of them. */
	if (profiles_add_builtin(&b.now) ||
	    profiles_parse(&b.before, BY_BYTES, strlen(BY_BYTES), true, &wrong))
		err = -ENOMEM;
	if (!err)
		err = renumber_all(&b, spec, ret_streams, says);
	profiles_free(&b.before);
	profiles_free(&b.now);
	return err;
}
