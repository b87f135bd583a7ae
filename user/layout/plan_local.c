// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Plans for this machine, with messages. */
#include "plan.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "diag.h"
#include "layout.h"
#include "config_streams.h"
#include "streams.h"
#include "units.h"

#define LOSS_MAX 0.5 /* a filter that exceeds the requested rate is refused above this */

/* Returns the kernel's HZ, by its coarse clock, which advances once a jiffy. */
static unsigned int kernel_hz(void)
{
	struct timespec res;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &res) || res.tv_sec || res.tv_nsec <= 0)
		return 1000; /* the highest HZ: the hand counts as stopped too late, not early */
	return (1000000000 + res.tv_nsec / 2) / res.tv_nsec;
}

void plan_localize(struct dedup_config *c)
{
	plan_set_jiffies(c, kernel_hz());
}

int plan_silently(const struct filter_spec *spec, struct dedup_config *out)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	char text[STREAMS_SAYS_MAX];

	if (layout_of(spec->layout)->refusal(spec) || streams_refusal(spec, text))
		return -EINVAL;
	return plan_config(spec, cpus > 0 ? cpus : 1, kernel_hz(), out);
}

const char *plan_promise(const struct dedup_config *c, char *buf)
{
	char ids[PLAN_PROMISE_MAX / 2] = "", numbers[PLAN_PROMISE_MAX / 2] = "";

	if (streams_any_hashed(c))
		snprintf(ids, sizeof(ids), "%llu ids a window of %s, at most %g of fresh events lost",
			 c->memory.capacity, FORMAT_TIME(c->memory.window_ns), plan_fpr(c));
	if (streams_any_numbered(c))
		snprintf(numbers, sizeof(numbers), "numbers of %u sources, no fresh ones lost",
			 c->sources.sources);
	snprintf(buf, PLAN_PROMISE_MAX, "%s%s%s", ids, *ids && *numbers ? "; " : "", numbers);
	return buf;
}

bool plan_loses_most(const struct dedup_config *c)
{
	return plan_exceeds_rate(c) && plan_fpr(c) > LOSS_MAX;
}

/* Notes which requested values the filter does not keep. */
static void note_promises(const struct dedup_config *c)
{
	const struct filter_spec *spec = &c->asked;
	const struct layout *layout = layout_of(c->memory.layout);

	if (!streams_any_hashed(c))
		return;
	if (plan_exceeds_rate(c))
		diag_note("m = %u and k = %u lose up to %.3g of fresh events, not %g%s",
			  c->memory.m, c->memory.k, plan_fpr(c), spec_fpr(spec),
			  c->memory.hash == DEDUP_COLIBRI
				  ? ": they are for one generation, and there are two"
				  : "");
	else if (c->memory.capacity < spec->capacity)
		diag_note("m = %u and k = %u keep --fpr %g for %llu ids a window, not %llu: more shorten the memory",
			  c->memory.m, c->memory.k, spec_fpr(spec), c->memory.capacity,
			  (unsigned long long)spec->capacity);
	if (layout->note && layout->note(c))
		diag_note("%s", layout->note(c));
}

/* Logs a rate that the hash allows. Returns -ENOTUNIQ. */
static int refuse_hash(const struct filter_spec *spec)
{
	return diag_err(-ENOTUNIQ,
			"--hash %s does not keep --fpr %g for %llu ids a window: give --fpr %.2g%s",
			hash_name(spec->hash), spec_fpr(spec), (unsigned long long)spec->capacity,
			plan_hash_fpr(spec), spec->hash == DEDUP_FAST ? ", or --hash siphash" : "");
}

int plan_check(const struct filter_spec *spec)
{
	char text[STREAMS_SAYS_MAX];
	const char *refusal = layout_of(spec->layout)->refusal(spec) ?: streams_refusal(spec, text);

	return refusal ? diag_err(-EINVAL, "%s", refusal) : 0;
}

int plan_local(const struct filter_spec *spec, struct dedup_config *out)
{
	const struct layout *layout = layout_of(spec->layout);
	int err = plan_check(spec);

	if (err)
		return err;
	err = plan_silently(spec, out);
	if (err == -ERANGE)
		return diag_err(
			err,
			"--window %s is too short for so large a filter: the hand cannot go round it in time" ADVICE
			"lower --capacity or lengthen --window",
			FORMAT_TIME(spec->window_ns));
	if (err == -EDOM)
		return diag_err(err,
				"Colibri's own k would be more than %d here" ADVICE "raise --fpr",
				DEDUP_HASHES_MAX);
	if (err == -EOPNOTSUPP)
		return diag_err(
			err,
			"FIPS' own m = 8192 keeps no --fpr %g, not even for one id a window: raise --fpr, or give more --bits",
			spec_fpr(spec));
	if (err == -EFBIG)
		return diag_err(err,
				"the numbers of %u sources take too much memory" ADVICE
				"lower --sources, or the profile's history",
				spec->sources ? spec->sources : SPEC_SOURCES_DEFAULT);
	if (err == -ENOTUNIQ)
		return refuse_hash(spec);
	if (err)
		return diag_err(err,
				"no %s filter is large enough for this capacity and rate%s" ADVICE
				"lower --capacity or raise --fpr",
				layout->name,
				layout->too_large ? layout->too_large
				: spec->hash == DEDUP_FNV1A && !spec->hashes
					? " with a single hash (--hashes gives more)"
					: "");
	if (plan_loses_most(out))
		return diag_err(
			-EDOM,
			"m = %u and k = %u lose up to %.3g of fresh events, not %g: give more %s, or leave the size to --capacity and --fpr",
			out->memory.m, out->memory.k, plan_fpr(out), spec_fpr(spec),
			spec->index_bits ? "--index-bits" : "--bits");
	note_promises(out);
	return 0;
}
