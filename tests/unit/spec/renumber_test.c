// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which streams of an older version's filter become numbered, and what stays of them. */
#include "support.h"

#include <errno.h>
#include <string.h>

#include "profile.h"
#include "profile_stream.h"
#include "renumber.h"
#include "streams.h"

#define MOLDUDP64                                                        \
	"layer = udp\nexempt = payload+18:2 == 0x0000\nexempt = payload" \
	"+18:2 == 0xffff\nid = payload+0:20"
#define RTP_OF(id)                                                   \
	"layer = udp\nrequire = payload+0:1/0xc0 == 0x80\nexempt = " \
	"payload+1:1/0xe0 == 0xc0\nid = " id
#define RTP RTP_OF("payload+2:10")
#define R_TAG_OF(ethertype)                                             \
	"layer = ethernet\nethertype = " ethertype "\nid = frame+0:12 " \
	"frame+14:2/0x0fff frame+18:2/0x0fff tag+2:2"
#define R_TAG R_TAG_OF("0xf1c1")
#define HSR                                                                        \
	"layer = ethernet\nethertype = 0x892f\nrequire = frame+0:1/0x01 == 0x00\n" \
	"exempt = tag+4:2 == 0x88fb\nexempt = tag+4:2 == 0x88f7\n"                 \
	"id = frame+6:6 tag+0:6/0x0fffffffffff"
#define PRP                                                                               \
	"layer = ethernet\nrequire = end-2:2 == 0x88fb\nrequire = end-4:1/0xe0 == 0xa0\n" \
	"exempt = frame+12:2 == 0x88fb\nexempt = frame+16:2 == 0x88fb\n"                  \
	"exempt = frame+12:2 == 0x88f7\nexempt = frame+16:2 == 0x88f7\n"                  \
	"id = frame+6:6 end-6:6/0xffff0fffffff"
#define OWN "layer = udp\nid = payload+4:10"

/* Streams a and b by their texts, and the built-in profiles that they are then; NULL: they stay. */
static const struct row {
	const char *name, *a, *b, *a_is, *b_is;
	bool is_realm; /* they share one */
	bool learn_app;
	enum dedup_hash_scheme hash;
	uint32_t format;  /* of the version that made the streams, as a configuration has it */
	const char *says; /* why all stay */
} ROWS[] = {
	{ .name = "moldudp64", .a = MOLDUDP64, .a_is = "moldudp64" },
	{ .name = "rtp", .a = RTP, .a_is = "rtp" },
	{ .name = "r-tag", .a = R_TAG, .a_is = "r-tag" },
	{ .name = "hsr", .a = HSR, .a_is = "hsr" },
	{ .name = "prp", .a = PRP, .a_is = "prp" },
	{ .name = "two", .a = RTP, .b = MOLDUDP64, .a_is = "rtp", .b_is = "moldudp64" },
	{ .name = "two-feeds",
	  .a = MOLDUDP64,
	  .b = MOLDUDP64,
	  .a_is = "moldudp64",
	  .b_is = "moldudp64",
	  .is_realm = true },
	{ .name = "beside-an-own-one", .a = OWN, .b = RTP, .b_is = "rtp" },
	/* Of one realm either all are numbered, or none is. */
	{ .name = "with-an-own-one", .a = OWN, .b = RTP, .is_realm = true },
	{ .name = "other-id", .a = RTP_OF("payload+2:8") },
	{ .name = "other-mask", .a = RTP_OF("payload+2:10/0xffffffffffffffffff0f") },
	{ .name = "other-place", .a = RTP_OF("payload+3:10") },
	{ .name = "other-ethertype", .a = R_TAG_OF("0xf1c2") },
	{ .name = "other-condition", .a = RTP "\nrequire = payload+1:1 == 0x60" },
	{ .name = "no-condition", .a = "layer = udp\nid = payload+2:10" },
	{ .name = "other-layer", .a = "layer = ip\nid = frame+6:6 end-6:6" },
	{ .name = "digest", .a = RTP " payload" },
	{ .name = "of-this-version", .a = RTP, .format = DEDUP_FORMAT },
	{ .name = "learn-app", .a = RTP, .b = OWN, .learn_app = true, .says = "--learn app" },
	{ .name = "keyless-hash", .a = RTP, .hash = DEDUP_COLIBRI, .says = "--hash colibri" },
};

static void add_stream(struct filter_spec *spec, const char *name, const char *text, uint32_t realm)
{
	struct spec_stream *s = &spec->streams[spec->streams_cnt];

	profile_stream(s, name, text);
	s->stream.realm = realm;
	s->stream.forwarded = 1;
	s->deliver = true;
	if (s->stream.layer == DEDUP_UDP) {
		s->ports_cnt = s->to_cnt = s->to4_cnt = 1;
		s->ports[0].lo = s->ports[0].hi = 8000 + spec->streams_cnt;
		s->to[0].mask[0] = 0xff;
	}
	spec->streams_cnt++;
}

static struct filter_spec spec_of(const struct row *r)
{
	struct filter_spec spec = { .capacity = 1000,
				    .fpr = 1e-3,
				    .window_ns = SPEC_WINDOW_DEFAULT_NS,
				    .hash = r->hash,
				    .learn_app = r->learn_app,
				    .profiles_format = r->format };

	add_stream(&spec, "a", r->a, 0);
	if (r->b)
		add_stream(&spec, "b", r->b, r->is_realm ? 0 : 1);
	return spec;
}

/* A stream that was `was` is as the built-in profile is now, and the rest of it stays. */
static void check_stream(const struct spec_stream *s, const struct spec_stream *was,
			 const char *profile)
{
	struct spec_stream expected = *was;
	struct profiles all = { 0 };

	assert_int_equal(profiles_add_builtin(&all), 0);
	if (profile) {
		const struct profile *p = profiles_find(&all, profile);

		assert_true(p->numbered.width);
		expected.stream = p->stream;
		memcpy(expected.stream.name, was->stream.name, sizeof(was->stream.name));
		expected.stream.realm = was->stream.realm;
		expected.stream.forwarded = 1;
		expected.numbered = p->numbered;
	}
	assert_memory_equal(&s->stream, &expected.stream, sizeof(s->stream));
	assert_memory_equal(&s->numbered, &expected.numbered, sizeof(s->numbered));
	assert_int_equal(s->ports_cnt, was->ports_cnt);
	assert_int_equal(s->ports[0].lo, was->ports[0].lo);
	assert_int_equal(s->to_cnt, was->to_cnt);
	assert_true(s->to[0].mask[0] == was->to[0].mask[0] && s->deliver);
	profiles_free(&all);
}

static void streams_are_renumbered(void **state)
{
	const struct row *r = *state;
	struct filter_spec spec = spec_of(r), was = spec;
	char says[STREAMS_SAYS_MAX] = "";
	uint32_t streams = ~0U;

	assert_int_equal(renumber_streams(&spec, &streams, says), r->says ? -EINVAL : 0);
	assert_int_equal(streams, r->says ? ~0U : (r->a_is ? 1U : 0U) | (r->b_is ? 2U : 0U));
	if (r->says)
		assert_non_null(strstr(says, r->says));
	check_stream(&spec.streams[0], &was.streams[0], r->a_is);
	if (r->b)
		check_stream(&spec.streams[1], &was.streams[1], r->b_is);
	/* It is done once. */
	if (!r->says) {
		assert_int_equal(renumber_streams(&spec, &streams, says), 0);
		assert_int_equal(streams, 0);
	}
}

int main(void)
{
	add_rows(ROWS, streams_are_renumbered, NULL, NULL);
	return run_added_tests("renumber");
}
