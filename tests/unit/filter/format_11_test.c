// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Configurations of format 11, read as ones of this format. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "config_streams.h"
#include "format_11.h"

/* Each field of format 11 arrives: one that is forgotten leaves a 0 where random bytes were. */
static void no_field_is_forgotten(void **state)
{
	static struct dedup_config_11 old;
	static struct dedup_config c;
	uint8_t *bytes = (uint8_t *)&old;

	(void)state;
	for (size_t i = 0; i < sizeof(old); i++)
		bytes[i] = (uint8_t)(1 + rand() % 255);
	config_from_11(&old, &c);
#define SAME(part, field) assert_memory_equal(&c.part field, &old.field, sizeof(old.field))
	SAME(, format), SAME(, frags), SAME(, serial), SAME(, earlier_stats);
	SAME(, has_predecessor), SAME(, predecessor_scale), SAME(, before);
	SAME(memory., layout), SAME(memory., hash), SAME(memory., blocks), SAME(memory., places);
	SAME(memory., words), SAME(memory., bits), SAME(memory., m), SAME(memory., k);
	SAME(memory., recent), SAME(memory., claim), SAME(memory., replay);
	SAME(memory., segment_places), SAME(memory., window_ns), SAME(memory., countdown_ns);
	SAME(memory., tick_ns), SAME(memory., busy_tick_ns), SAME(memory., late_ns);
	SAME(memory., stale_ns), SAME(memory., stale_jiffies), SAME(memory., capacity);
	SAME(memory., fpr_e18), SAME(memory., turn_ids), SAME(memory., full_ids);
	SAME(policy., action), SAME(policy., learn_app), SAME(policy., ihave_pass);
	SAME(policy., deliver), SAME(policy., drop_ns), SAME(policy., receiver);
	SAME(policy., several), SAME(policy., forwarded), SAME(policy., frames);
	SAME(policy., id_bytes), SAME(policy., any_direct), SAME(policy., ports_cnt);
	SAME(policy., ports), SAME(policy., direct), SAME(policy., to_cnt), SAME(policy., to4_cnt);
	SAME(policy., to), SAME(policy., vlans_cnt), SAME(policy., vlans);
	SAME(policy., streams_cnt), SAME(policy., streams);
	SAME(secrets., key), SAME(secrets., digest_key);
#undef SAME
	assert_int_equal(c.asked.capacity, old.capacity);
	assert_int_equal(c.asked.fpr_e18, old.fpr_e18);
	assert_false(c.policy.gsp_alone);
}

/* Format 11 has no stream for GSP/1 alone; this one has. */
static void gsp_alone_becomes_a_stream(void **state)
{
	struct dedup_config_11 old = { .format = 11,
				       .id_bytes = 32,
				       .forwarded = 1,
				       .deliver = 1,
				       .ports_cnt = 2,
				       .ports = { { 1, 2 }, { 8001, 8001 } },
				       .to_cnt = 3,
				       .to4_cnt = 2 };
	struct dedup_config c;
	const struct dedup_stream *s;

	(void)state;
	config_from_11(&old, &c);
	s = &c.policy.streams[0];
	assert_true(c.policy.gsp_alone && c.policy.streams_cnt == 1 && streams_sound(&c));
	assert_true(stream_is_gsp(&c, 0) && s->words == 4 && s->bytes == 32 && s->forwarded);
	assert_true(s->ports_cnt == 2 && s->to_cnt == 3 && s->to4_cnt == 2);
	assert_true(!s->slot && !s->realm_key && c.asked.deliver_all);
	assert_string_equal(s->name, "gsp");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_field_is_forgotten),
		cmocka_unit_test(gsp_alone_becomes_a_stream),
	};

	add_tests(tests, ARRAY_SIZE(tests));
	return run_added_any_tests("format_11");
}
