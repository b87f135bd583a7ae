// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Each built-in profile on the packets beside it, user/spec/profiles/NAME.packets. */
#include "profile_packets.h"
#include "profile_runner.h"

static void expect_packet(const struct profile_packet *p, void *context)
{
	int *seen = context;

	fixture.row = p->where;
	expect(&p->frame, fixture_verdict(p->reason), p->reason);
	seen[p->reason]++;
	fixture.row = "";
}

static void packets_get_their_verdicts(void **state)
{
	const char *name = *state;
	int seen[DEDUP_REASONS_CNT] = { 0 };
	struct profiles all = { 0 };
	const struct profile *p;

	assert_int_equal(profiles_add_builtin(&all), 0);
	p = profiles_find(&all, name);
	assert_non_null(p);
	profile_load(name, p->stream.layer == DEDUP_UDP ? FEEDS : ALONE, NULL);
	profile_packets_each(p, expect_packet, seen);
	if (!seen[DEDUP_REASON_new] || !seen[DEDUP_REASON_duplicate])
		fail_msg("%s.packets needs a fresh packet and a duplicate", name);
	profiles_free(&all);
	fixture_unload(NULL);
}

int main(void)
{
	profile_packets_add_tests(packets_get_their_verdicts, NULL, NULL);
	return run_added_tests("profile_packets");
}
