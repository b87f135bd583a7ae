// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "plan.h"

#include <errno.h>
#include <math.h>

#include "hand.h"
#include "layout.h"
#include "known_ids.h"
#include "numbered.h"
#include "streams.h"

#define MS 1000000ULL

/* The hand makes STEPS_A_WINDOW steps in a window, but with at least TICK_MIN_NS and at most
 * TICK_MAX_NS between two. So ids are forgotten on time to a thousandth of the window, and steps
 * take too little CPU time to be measured.
 */
#define STEPS_A_WINDOW 1024
#define TICK_MIN_NS (MS / 10)
#define TICK_MAX_NS (10 * MS)
#define BUSY_TICK_NS (MS / 4)
/* The most places that a step passes by the clock. The other half of a step's places is for
 * requests (rotate, reset) and for load.
 */
#define CLOCK_STEP_PLACES (DEDUP_STEP_PLACES / 2)

/* The distance of countdowns is longer than an even share of the window by one part in
 * COUNTDOWN_SLACK. So after a late countdown the next distances can be shorter, until countdowns
 * are on time again, and no id lives shorter.
 */
#define COUNTDOWN_SLACK 128

/* The clock counts as stopped if there was no step for a quarter of the window, but no less than
 * STALE_MIN_NS and no more than STALE_MAX_NS.
 */
#define STALE_MIN_NS (100 * MS)
#define STALE_MAX_NS (2000 * MS)

/* Ids beyond the capacity for which there must be room, as one part in N of the capacity. Each
 * takes memory in that proportion.
 * - TURN_SLACK: ids that arrive because places are passed a little late. If the window is so short
 *   that steps may be later (config.late_ns), plan_turn_ids() adds room for that.
 * - BURST_SLACK: ids that are learned under overload between two steps of the hand.
 * - CLAIM_SLACK: credit that all CPUs together hold, each of which claims up to CLAIM_MAX ids.
 */
#define TURN_SLACK 128
#define BURST_SLACK 64
#define CLAIM_SLACK 1024
#define CLAIM_MAX 64

/* The part of the rate that the hash may use up. The rest is for the memory. */
#define HASH_SHARE 0.75

#define RESET_MIN 2 /* jiffies: include/numbering.h */

/* Entries of the cache of known ids (known_ids.h), for schemes that hash by SHA-256: 4 MB at most. */
#define KNOWN_MIN 64
#define KNOWN_MAX 65536

static uint64_t clamp(uint64_t value, uint64_t lo, uint64_t hi)
{
	return value < lo ? lo : value > hi ? hi : value;
}

double plan_ids(const struct dedup_config *cfg, unsigned int cpus, double fpr)
{
	/* The rate of the current generation, if the rate of both is fpr. */
	double one = layout_of(cfg->memory.layout)->has_generations ? -expm1(log1p(-fpr) / 2) : fpr;

	/* Each CPU may hold credit of one claim, and may exceed the limit by another. An id that
	 * seems to be in the current generation is neither learned nor counted, as its bits are set
	 * already. So the bits are those of all ids, of which only the part 1 - one was counted.
	 */
	return (cfg->memory.full_ids + 2.0 * cpus * cfg->memory.claim) / (1 - one);
}

static uint64_t tick_ns(const struct dedup_config *c)
{
	uint64_t tick = clamp(c->memory.window_ns / STEPS_A_WINDOW, TICK_MIN_NS, TICK_MAX_NS);
	/* Short enough for the steps of a window to pass all places. */
	uint64_t work = c->memory.window_ns / (c->memory.places / CLOCK_STEP_PLACES + 1);

	return tick < work ? tick : work;
}

void plan_set_jiffies(struct dedup_config *c, unsigned int hz)
{
	c->memory.stale_jiffies = c->memory.stale_ns * hz / (1000 * MS) + 1;
	for (uint32_t n = 0; n < c->policy.streams_cnt; n++) {
		uint64_t reset = (c->numbered[n].reset_ns * hz + 1000 * MS - 1) / (1000 * MS);

		if (!c->numbered[n].width)
			continue;
		c->numbered[n].recovery.reset_jiffies = reset > RESET_MIN ? reset : RESET_MIN;
		if (c->sources.idle_jiffies < reset + hz)
			c->sources.idle_jiffies = reset + hz;
	}
}

static int plan_paces(struct dedup_config *c, unsigned int hz)
{
	uint64_t tick = tick_ns(c);
	uint64_t stale = clamp(c->memory.window_ns / 4, STALE_MIN_NS, STALE_MAX_NS);
	uint64_t distances = c->memory.places > 1 ? c->memory.places - 1 : 1;

	if (tick < TICK_MIN_NS)
		return -ERANGE;
	c->memory.tick_ns = tick;
	c->memory.busy_tick_ns = tick < BUSY_TICK_NS ? tick : BUSY_TICK_NS;
	/* Two ticks, as a place that is due just after a step waits for the next one; and a jiffy,
	 * as some kernels' timers fire only with the jiffies.
	 */
	c->memory.late_ns = 2 * tick + 1000 * MS / hz;
	c->memory.countdown_ns =
		(c->memory.window_ns + c->memory.window_ns / COUNTDOWN_SLACK - 1) / distances + 1;
	c->memory.stale_ns = stale;
	plan_set_jiffies(c, hz);
	return 0;
}

static uint32_t known_slots(const struct dedup_config *c)
{
	uint32_t slots = KNOWN_MIN;

	if (c->memory.hash != DEDUP_COLIBRI && c->memory.hash != DEDUP_FIPS &&
	    c->memory.hash != DEDUP_TEZOS)
		return 0;
	while (slots < KNOWN_MAX && slots < c->memory.capacity)
		slots *= 2;
	return slots;
}

double plan_turn_ids(const struct dedup_config *c, double ids)
{
	uint64_t more_steps =
		c->memory.segment_places / DEDUP_STEP_PLACES; /* after the first, late one */
	double late_ns = c->memory.late_ns + (double)more_steps * c->memory.busy_tick_ns;
	double longer =
		late_ns / c->memory.window_ns - 1 / (2.0 * TURN_SLACK); /* this has room already */

	return layout_of(c->memory.layout)->turn_ids(c, ids, longer > 0 ? longer : 0);
}

/* Sets the capacity and the limits on learning that follow from it and the hand's pace. Returns
 * plan_ids() for them.
 */
static double set_capacity(struct dedup_config *c, double fpr, unsigned int cpus, uint64_t capacity)
{
	c->memory.capacity = capacity;
	c->memory.claim = clamp(capacity / (CLAIM_SLACK * cpus), 1, CLAIM_MAX);
	/* approx_count must miss no id. Without credit each id is counted when it is learned, so
	 * never before an earlier mark.
	 */
	if (layout_of(c->memory.layout)->approx_count)
		c->memory.claim = 1;
	c->memory.turn_ids = capacity + capacity / TURN_SLACK + 1;
	c->memory.full_ids = (uint64_t)ceil(plan_turn_ids(c, c->memory.turn_ids)) +
			     capacity / BURST_SLACK + 2 * c->memory.claim;
	return plan_ids(c, cpus, fpr);
}

/* Returns the part of fresh ids whose hash equals that of one of `ids` known ids in each generation
 * (include/hash.h): by NH, and as a hash has 64 bits. The other schemes have more bits.
 */
static double hash_rate(const struct filter_spec *spec, double ids)
{
	double equal = (layout_of(spec->layout)->has_generations ? 2 : 1) * ids * 0x1p-64;

	if (spec->hash == DEDUP_FAST)
		return DEDUP_FAST_COLLISIONS * 0x1p-32 + equal;
	return spec->hash == DEDUP_SIPHASH || spec->hash == DEDUP_FNV1A ? equal : 0;
}

double plan_hash_fpr(const struct filter_spec *spec)
{
	return 1.1 / HASH_SHARE * hash_rate(spec, 1.1 * spec->capacity);
}

/* Returns the rate of this filter with its hash. */
static double full_rate(const struct filter_spec *spec, const struct dedup_config *c, double ids)
{
	return fmin(1, layout_of(c->memory.layout)->rate(c, ids) + hash_rate(spec, ids));
}

/* Lowers the capacity until m and k keep the rate, if they are given or another system's: a shorter
 * memory is better than a higher rate. Except for Colibri's own m and k, which are for one
 * generation: the capacity stays, and the rate of two generations is about twice that. Returns the
 * rate that holds.
 */
static double keep_rate(struct dedup_config *c, const struct filter_spec *spec, unsigned int cpus)
{
	uint64_t lo = 1, hi = spec->capacity;
	double rate = full_rate(spec, c, plan_ids(c, cpus, spec_fpr(spec)));

	if (rate <= spec_fpr(spec))
		return spec_fpr(spec);
	if (spec->hash == DEDUP_COLIBRI && !spec->bits && !spec->hashes)
		return rate;
	while (lo < hi) {
		uint64_t mid = hi - (hi - lo) / 2;

		if (full_rate(spec, c, set_capacity(c, spec_fpr(spec), cpus, mid)) <= spec_fpr(spec))
			lo = mid;
		else
			hi = mid - 1;
	}
	rate = full_rate(spec, c, set_capacity(c, spec_fpr(spec), cpus, lo));
	return rate > spec_fpr(spec) ? rate : spec_fpr(spec);
}

bool plan_exceeds_rate(const struct dedup_config *c)
{
	return plan_fpr(c) > spec_fpr(&c->asked) * (1 + 1e-9) + 1e-18;
}

/* Returns whether m is that of FIPS v1, as --hash fips was given without --bits. */
static bool is_fips_own(const struct filter_spec *spec)
{
	return spec->layout == DEDUP_FLAT && spec->hash == DEDUP_FIPS && !spec->bits;
}

static enum dedup_action action_of_spec(const struct filter_spec *spec)
{
	if (spec->count_only)
		return DEDUP_COUNT;
	return spec->drop_ns ? DEDUP_DROP_FOR : DEDUP_DROP;
}

/* Does what plan_config() does, but returns -EOVERFLOW also if a longer window would suffice. */
static int plan_sizes(const struct filter_spec *spec, unsigned int cpus, unsigned int hz,
		      struct dedup_config *out)
{
	struct dedup_config c = {
		.format = DEDUP_FORMAT,
		.frags = 1,
		.memory = { .layout = spec->layout, .hash = spec->hash, .window_ns = spec->window_ns },
		.policy = { .action = action_of_spec(spec) },
		.asked = *spec,
	};
	const struct layout *layout = layout_of(c.memory.layout);
	double ids, more, rate;
	int err;

	streams_plan(&c);
	err = plan_paces(&c, hz);
	if (err)
		return err;
	more = set_capacity(&c, spec_fpr(spec), cpus, spec->capacity);
	do { /* again if clearing a filter of this size takes so long that more ids arrive */
		ids = more;
		if (hash_rate(spec, ids) > HASH_SHARE * spec_fpr(spec))
			return -ENOTUNIQ;
		err = layout->size(spec, ids, spec_fpr(spec) - hash_rate(spec, ids), &c)
			      ?: plan_paces(&c, hz);
		if (err)
			return err;
		more = set_capacity(&c, spec_fpr(spec), cpus, spec->capacity);
	} while (more > ids);
	rate = keep_rate(&c, spec, cpus);
	c.memory.fpr_e18 = rate > spec_fpr(spec) ? SPEC_FPR(rate) : spec->fpr_e18;
	if (is_fips_own(spec) && plan_exceeds_rate(&c))
		return -EOPNOTSUPP;
	c.memory.known_cnt = known_slots(&c);
	if (dedup_blocks(&c) > UINT32_MAX)
		return -EFBIG;
	if (c.sources.sources) {
		c.sources.first = c.memory.blocks;
		c.sources.slots = c.sources.first + c.sources.buckets + 1;
	}
	*out = c;
	return 0;
}

int plan_config(const struct filter_spec *spec, unsigned int cpus, unsigned int hz,
		struct dedup_config *out)
{
	struct filter_spec sized = *spec;
	struct dedup_config c;
	int err;

	if (numbered_alone(spec))
		sized.capacity = 1;
	err = plan_sizes(&sized, cpus, hz, out);
	if (!err)
		out->asked = *spec;
	sized.window_ns = SPEC_WINDOW_MAX_NS;
	return err == -EOVERFLOW && !plan_sizes(&sized, cpus, hz, &c) ? -ERANGE : err;
}
