// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Each built-in profile on the packets beside it, user/spec/profiles/NAME.packets: one after the
 * other; and the first fresh one alone, behind VLAN tags, and cut to every length.
 */
#include "fixture.h"

#include "profile_packets.h"
#include "stream_runner.h"

#define FRAME_LEAST 14
#define PADDING 20

/* Empties the filter, as if it were just loaded. */
static void forget(void)
{
	memset(fixture.filter.blocks, 0,
	       dedup_blocks(fixture.filter.config) * sizeof(struct dedup_block));
}

/* Loads a filter of one profile; `feeds`: twice, for two groups and ports, in one realm. */
static void load(const char *profile, bool feeds)
{
	struct filter_spec spec = { .capacity = 10000 };
	struct profiles all = { 0 };
	struct stream_wish wish = { .profile = profile };
	const struct profile *p;

	assert_int_equal(profiles_add_builtin(&all), 0);
	p = profiles_find(&all, profile);
	assert_non_null(p);
	if (p->needs_to || feeds)
		wish.to = "233.252.0.1";
	if (p->stream.layer == DEDUP_UDP)
		wish.ports = "8001";
	stream_add(&spec, &all, &wish);
	if (feeds) {
		wish.name = "other";
		wish.ports = "8002";
		wish.to = "233.252.0.2";
		stream_add(&spec, &all, &wish);
	}
	stream_load(&spec);
	profiles_free(&all);
}

/* Each packet comes twice, unless a far number would not be far then. */
static void expect_packet(const struct profile_packet *p, void *context)
{
	int *seen = context;
	enum dedup_reason second = p->reason == DEDUP_REASON_new ? DEDUP_REASON_duplicate : p->reason;

	fixture.row = p->where;
	expect(&p->frame, fixture_verdict(p->reason), p->reason);
	if (p->reason != DEDUP_REASON_far_number)
		expect(&p->frame, fixture_verdict(second), second);
	seen[p->reason]++;
	fixture.row = "";
}

static void put_tags(struct frame *f, uint32_t tags)
{
	static const uint8_t TAGS[] = { 0x88, 0xa8, 0x20, 0x07, 0x81, 0x00, 0x20, 0x08 };

	memmove(f->data + 12 + 4 * tags, f->data + 12, f->len - 12);
	memcpy(f->data + 12, TAGS + sizeof(TAGS) - 4 * tags, 4 * tags);
	f->len += 4 * tags;
}

/* A bridge takes the VLAN tags off: an R-TAG's stream is another one then. */
static void expect_untagged(const char *profile, const struct frame *f)
{
	bool is_new = !strcmp(profile, "r-tag");

	expect(f, is_new ? XDP_PASS : XDP_DROP, is_new ? DEDUP_REASON_new : DEDUP_REASON_duplicate);
}

/* Frames that are cut. In others all bytes count, and they are truncated. */
static const struct cut {
	const char *profile;
	uint32_t whole_at;     /* the id's last byte is below; 0: all bytes count */
	enum dedup_reason cut; /* what it is if it is shorter */
} CUTS[] = {
	{ "mirror-l2", 0, DEDUP_REASON_new },	{ "r-tag", 20, DEDUP_REASON_bad_length },
	{ "hsr", 20, DEDUP_REASON_bad_length }, { "prp", 0, DEDUP_REASON_ignored },
	{ "", 0, DEDUP_REASON_truncated },
};

static const struct cut *cut_of(const char *profile)
{
	const struct cut *c = CUTS;

	while (*c->profile && strcmp(c->profile, profile))
		c++;
	return c;
}

/* Cut to every length in turn: what is short of its id is never dropped nor learned. */
static void expect_cuts(const char *profile, const struct frame *f, uint32_t tags, bool known)
{
	const struct cut *c = cut_of(profile);
	uint32_t whole = c->whole_at ? c->whole_at + 4 * tags : f->len;
	uint32_t tags_end = 14 + 4 * tags;
	struct frame cut = *f;

	/* Where all of the frame is the id, a shorter one is another. */
	for (cut.len = FRAME_LEAST; c->cut == DEDUP_REASON_new && cut.len < f->len; cut.len++) {
		bool truncated = cut.len < tags_end;

		expect(&cut, known && !truncated ? XDP_DROP : XDP_PASS,
		       truncated ? DEDUP_REASON_truncated
		       : known	 ? DEDUP_REASON_duplicate
				 : DEDUP_REASON_new);
	}
	for (; cut.len < whole; cut.len++)
		expect(&cut, XDP_PASS, cut.len < tags_end ? DEDUP_REASON_truncated : c->cut);
	for (; cut.len < f->len; cut.len++, known = true)
		expect(&cut, known ? XDP_DROP : XDP_PASS,
		       known ? DEDUP_REASON_duplicate : DEDUP_REASON_new);
	expect(&cut, known ? XDP_DROP : XDP_PASS, known ? DEDUP_REASON_duplicate : DEDUP_REASON_new);
}

static void take_first_fresh(const struct profile_packet *p, void *context)
{
	struct profile_packet *first = context;

	if (!first->frame.len && p->reason == DEDUP_REASON_new)
		*first = *p;
}

/* Padding is no part of a datagram or an IP packet, nor of the bytes that a duplicate counts. */
static void expect_padded(const struct profile *p, const struct frame *fresh)
{
	struct frame f = *fresh;

	if (p->stream.layer == DEDUP_ETHERNET)
		return;
	memset(f.data + f.len, 0xee, PADDING);
	f.len += PADDING;
	f.padding += PADDING;
	forget();
	expect(&f, XDP_PASS, DEDUP_REASON_new);
	expect(&f, XDP_DROP, DEDUP_REASON_duplicate);
	expect(fresh, XDP_DROP, DEDUP_REASON_duplicate);
}

static void expect_fresh(const char *name, const struct profile_packet *fresh)
{
	fixture.row = fresh->where;
	for (uint32_t tags = 0; tags <= 2; tags++) {
		struct frame f = fresh->frame;

		put_tags(&f, tags);
		forget();
		expect_cuts(name, &f, tags, false);
		expect_cuts(name, &f, tags, true);
		if (tags)
			expect_untagged(name, &fresh->frame);
	}
	fixture.row = "";
}

static void packets_get_their_verdicts(void **state)
{
	const char *name = *state;
	int seen[DEDUP_REASONS_CNT] = { 0 };
	struct profile_packet fresh = { 0 };
	struct profiles all = { 0 };
	const struct profile *p;

	assert_int_equal(profiles_add_builtin(&all), 0);
	p = profiles_find(&all, name);
	assert_non_null(p);
	load(name, p->stream.layer == DEDUP_UDP);
	profile_packets_each(p, expect_packet, seen);
	fixture_unload(NULL);
	if (!seen[DEDUP_REASON_new] || !seen[DEDUP_REASON_duplicate])
		fail_msg("%s.packets needs a fresh packet and a duplicate", name);
	profile_packets_each(p, take_first_fresh, &fresh);
	load(name, false);
	expect_fresh(name, &fresh);
	expect_padded(p, &fresh.frame);
	profiles_free(&all);
	fixture_unload(NULL);
}

int main(void)
{
	profile_packets_add_tests(packets_get_their_verdicts, NULL, NULL);
	return run_added_tests("profile_packets");
}
