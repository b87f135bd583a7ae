// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Filters with streams: which packets are of which stream, and what their ids are. */
#include "fixture.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "ids.h"

static struct dedup_load load_at(enum dedup_base base, int at, int bytes)
{
	return (struct dedup_load){
		.mask = ~0ULL >> (64 - 8 * bytes),
		.at = at + bytes - 8,
		.base = base,
		.shift = 64 - 8 * bytes,
		.bytes = bytes,
	};
}

/* GSP/1's EVENTs as a stream of one segment. */
static void add_fields(struct dedup_config *c, uint16_t port)
{
	struct dedup_stream *s;

	if (dedup_is_gsp(c))
		c->policy.entry = c->policy.streams_cnt = 0;
	s = &c->policy.streams[c->policy.streams_cnt];
	*s = (struct dedup_stream){ .name = "event",
				    .realm = c->policy.streams_cnt,
				    .words = 4,
				    .bytes = 32,
				    .loads_cnt = 4,
				    .ports_first = c->policy.streams_cnt,
				    .ports_cnt = 1 };
	for (int i = 0; i < 4; i++)
		s->loads[i] = load_at(DEDUP_PAYLOAD, 8 + 8 * i, 8);
	c->policy.ports[c->policy.streams_cnt] = (struct dedup_ports){ port, port };
	c->policy.ports_cnt = ++c->policy.streams_cnt;
}

static void load(struct dedup_config *c)
{
	fixture_load(c);
}

TEST(one_stream)
{
	struct dedup_config c = fixture_still_config();
	struct id id = id_fresh();

	add_fields(&c, GOSSIP_PORT);
	load(&c);
	expect_event(&id, XDP_PASS, DEDUP_REASON_new);
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
	fixture_unload(NULL);
}

TEST(several_streams)
{
	struct dedup_config c = fixture_still_config();
	struct id id = id_fresh();

	for (int i = 7; i >= 0; i--)
		add_fields(&c, GOSSIP_PORT + i);
	load(&c);
	expect_event(&id, XDP_PASS, DEDUP_REASON_new);
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
	fixture_unload(NULL);
}

TEST(digest)
{
	struct dedup_config c = fixture_still_config();
	struct id id = id_fresh();
	struct frame f;

	add_fields(&c, GOSSIP_PORT);
	c.policy.streams[0].loads_cnt = 0;
	c.policy.streams[0].words = 1;
	c.policy.streams[0].bytes = 8;
	c.policy.streams[0].digest = DEDUP_DIGEST_PAYLOAD;
	c.policy.streams[0].digest_max = DEDUP_DIGEST_MAX;
	load(&c);
	for (uint32_t body = 0; body < 1400; body++) {
		frame_build(&f, &(struct frame_plan){ .body = body }, &id);
		expect(&f, XDP_PASS, DEDUP_REASON_new);
		expect(&f, XDP_DROP, DEDUP_REASON_duplicate);
	}
	fixture_unload(NULL);
}

int main(void)
{
	add_own_tests(NULL, NULL);
	return run_added_tests("stream");
}
