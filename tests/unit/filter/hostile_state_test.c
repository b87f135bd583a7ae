// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A filter's state is memory that others may write: whoever was granted a queue has it. Whatever is
 * in it, what reads it ends, stays within its memory, and has no control characters for a terminal.
 */
#include "hostile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "advice.h"
#include "attachments.h"
#include "fips_live.h"
#include "hand.h"
#include "here.h"
#include "ids.h"
#include "snapshot.h"
#include "layout.h"
#include "open_filter.h"
#include "own_macs.h"
#include "profile_stream.h"
#include "sender_list.h"
#include "sim.h"
#include "source_table.h"

#define S 1000000000ULL
#define TIMES 400
#define SECONDS_MAX 20 /* for all of a row: then something does not end */

static const struct parameters {
	const char *name;
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	uint32_t countdown_bits;
} PARAMETERS[] = {
	{ "blocked", DEDUP_BLOCKED, DEDUP_FAST, 0 },
	{ "flat", DEDUP_FLAT, DEDUP_FAST, 0 },
	{ "flat-fips", DEDUP_FLAT, DEDUP_FIPS, 0 },
	{ "countdown", DEDUP_COUNTDOWN, DEDUP_FAST, 0 },
	{ "countdown-once", DEDUP_COUNTDOWN, DEDUP_FAST, 1 },
	{ "countdown-often", DEDUP_COUNTDOWN, DEDUP_FAST, 16 },
};

static void read_record(const struct filter *f)
{
	struct attachment one = { .ifindex = 1, .ifname = "lo", .id.state_id = f->state_id };
	const struct dedup_iface *found = attachments_unseen(f);
	char name[IF_NAMESIZE];

	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		here_name(&f->record->ifaces[i], name);
		hostile_assert_shown(name);
		assert_null(strchr(name, '\n'));
	}
	if (found)
		here_name(found, name);
	attachments_recorded(f, "lo");
	attachments_recorded(f, "fifteen-letters");
	attachments_same_index(f, &one, 1, &one);
	if (f->config->policy.receiver == DEDUP_ONE_INTERFACE) {
		struct links none = { .cnt = 0 };

		own_macs_agree(f, &none, 1);
		own_macs_set((struct filter *)f, &none);
	}
}

/* What status, watch and metrics show. */
static void read_numbers(const struct filter *f, uint64_t *seed)
{
	const struct layout *layout = layout_of(f->config->memory.layout);
	const struct dedup_config *c = f->config;
	uint64_t now_ns = hostile_word(seed), hand = f->state->hand;
	static struct advice advice[ADVICE_MAX];
	struct advice_reading r = { .name = "v0", .config = c };
	struct fill fill = stats_fill_of(f, true, 1);
	double part = layout->hand(c, f->state, now_ns);
	uint64_t *cells = calloc(c->memory.places + 1ULL, sizeof(*cells));

	assert_true(isfinite(fill.ids) && fill.fpr >= 0 && fill.fpr <= 1 + 1e-9);
	assert_true(part >= 0 && part <= 1);
	stats_oldest_ns(c, f->state, now_ns);
	stats_forgets_in_ns(c, f->state, now_ns);
	stats_stopped(c, f->state, now_ns);
	dedup_hand_due_ns(f->state, c);
	if (layout->approx_count)
		layout->approx_count(c, f->state, (int64_t)hostile_word(seed));
	if (layout->histogram)
		layout->histogram(c, f->blocks, hand, FILL_ALL, cells);
	free(cells);
	r.pace = stats_pace(c, f->state, (int64_t)hostile_word(seed), now_ns);
	hostile_fill(&r.recent, sizeof(r.recent), seed);
	hostile_fill(&r.total, sizeof(r.total), seed);
	r.total.early = 1;
	advice_of(&r, advice);
}

static void use_ids(struct filter *f, uint64_t *seed)
{
	static uint8_t ids[IDS_AT_ONCE][DEDUP_ID_BYTES_MAX];
	int results[IDS_AT_ONCE];

	hostile_fill(ids, sizeof(ids), seed);
	ids_test(f, ids[0]);
	ids_add(f, ids[0]);
	ids_see_many(f, (const uint8_t(*)[DEDUP_ID_BYTES_MAX])ids, IDS_AT_ONCE, results);
	ids_remove(f, ids[1]);
}

/* What restore makes of a snapshot that was taken of this filter. */
static void take_snapshot(const struct filter *f)
{
	const struct snapshot_moment now = { .wall_ns = S, .boot_ns = S, .hand_ns = S };
	static struct snapshot_head h;
	struct dedup_state *st;
	char says[SNAPSHOT_SAYS_MAX];

	if (snapshot_take(f, &now, &h))
		return;
	snapshot_finish(f, &h);
	h.sum = snapshot_head_sum(&h);
	if (snapshot_refusal(&h, sizeof(h), h.file_bytes, says))
		return;
	st = calloc(1, sizeof(*st));
	snapshot_ids(&h);
	snapshot_state(&h, S, 0, st);
	snapshot_age(&h, S, 0, st, f->blocks);
	free(st);
}

static void use_fips(struct filter *f)
{
	static struct fips_filter snapshot;

	if (!fips_live_check(f))
		fips_live_filter(f, &snapshot);
}

static struct filter_spec spec_of(const struct parameters *parameters)
{
	struct filter_spec spec = sim_spec(parameters->hash == DEDUP_FIPS ? 50 : 1000, 1e-3, S);

	spec.layout = parameters->layout;
	spec.hash = parameters->hash;
	spec.countdown_bits = parameters->countdown_bits;
	return spec;
}

static void run_parameters(void **state)
{
	const struct parameters *parameters = *state;
	struct filter_spec spec = spec_of(parameters);
	struct dedup_state *st = malloc(sizeof(*st)), *st_predecessor = malloc(sizeof(*st));
	uint64_t seed = 1, netns = here_netns();
	struct dedup_record record;
	struct sim s, before;

	sim_start(&s, &spec, 1);
	sim_start(&before, &spec, 2);
	s.filter.state = st;
	s.filter.record = &record;
	before.filter.state = st_predecessor;
	alarm(SECONDS_MAX);
	for (int i = 0; i < TIMES; i++) {
		s.filter.predecessor = i % 2 ? &before.filter : NULL;
		hostile_fill(st, sizeof(*st), &seed);
		hostile_fill(st_predecessor, sizeof(*st_predecessor), &seed);
		hostile_record(&record, netns, &seed);
		read_record(&s.filter);
		read_numbers(&s.filter, &seed);
		if (s.filter.predecessor)
			read_numbers(s.filter.predecessor, &seed);
		use_ids(&s.filter, &seed);
		use_fips(&s.filter);
		/* Else nothing is saved. */
		st->hand = parameters->layout == DEDUP_FLAT
				   ? 0
				   : random_next(&seed) % s.config.memory.places;
		st->passed = st->hand;
		take_snapshot(&s.filter);
	}
	alarm(0);
	s.filter.state = &s.state;
	s.filter.predecessor = NULL;
	before.filter.state = &before.state;
	sim_stop(&before);
	sim_stop(&s);
	free(st_predecessor);
	free(st);
}

/* A sender that seems to be of the filter's realm, and its account: random, but for some bits. */
static void hostile_sender(struct sim *s, uint32_t source, uint64_t *seed)
{
	const struct dedup_sources *t = &s->config.sources;
	struct dedup_block *at = &s->filter.blocks[dedup_slot_block(t, source)];
	struct dedup_slot *slot = (struct dedup_slot *)at;

	hostile_fill(at, t->slot_blocks * sizeof(*at), seed);
	at[DEDUP_SLOT_ABOUT].word[DEDUP_SLOT_STATE] = DEDUP_SLOT_IN_USE;
	slot->key[DEDUP_SOURCE_WORDS] = s->config.policy.streams[0].realm_key + s->state.sources_era;
	at[t->account].word[DEDUP_ACCOUNT(version)] &= ~(random_next(seed) & 1);
}

static void accounts_of_senders(void **state)
{
	struct filter_spec spec = sim_spec(100, 1e-3, S);
	char text[SENDER_TEXT_MAX];
	struct sender_list list;
	uint64_t seed = 1;
	struct sim s;

	(void)state;
	profile_stream(&spec.streams[0], "a",
		       "layer = udp\nsource = payload+0:4\nsequence = payload+4:8\nhistory = 1024");
	spec.sources = 4;
	spec.paths = 8;
	sim_start(&s, &spec, 1);
	alarm(SECONDS_MAX);
	for (int i = 0; i < TIMES; i++) {
		for (uint32_t source = 0; source < 4; source++)
			hostile_sender(&s, source, &seed);
		assert_int_equal(sender_list_read(&s.filter, 3, &list), 0);
		for (uint32_t k = 0; k < list.cnt; k++) {
			hostile_assert_shown(sender_text(&s.config, &list.list[k], text));
			accounts_skew_quantile(&list.list[k].paths[0].counted, 0.99);
		}
		sender_list_free(&list);
	}
	alarm(0);
	sim_stop(&s);
}

static void name_without_end(void **state)
{
	struct dedup_iface *entry = malloc(sizeof(*entry));
	char name[IF_NAMESIZE], longer[2 * sizeof(*entry)];

	(void)state;
	memset(entry, 'a', sizeof(*entry));
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = 0;
	here_is_named(entry, longer);
	here_name(entry, name);
	assert_string_equal(name, "aaaaaaaaaaaaaaa");
	assert_false(here_is_named(entry, "aaa"));
	free(entry);
}

int main(void)
{
	leave_to_rest("@(flat-fips|countdown-*)");
	add_test("name-without-end", name_without_end, NULL, NULL, NULL);
	add_test("accounts-of-senders", accounts_of_senders, NULL, NULL, NULL);
	add_rows(PARAMETERS, run_parameters, NULL, NULL);
	return run_added_any_tests("hostile_state");
}
