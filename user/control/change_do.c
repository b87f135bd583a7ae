// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include "change.h"
#include "config_streams.h"
#include "device.h"
#include "driver.h"
#include "diag.h"
#include "live_exchange.h"
#include "kept.h"
#include "kernel.h"
#include "layout.h"
#include "loader_next.h"
#include "open.h"
#include "plan.h"
#include "receivers.h"
#include "tunnel_devices.h"
#include "units.h"

/* Returns the filter's attachment to this interface here; NULL if there is none. */
static const struct attachment *attached_to(const struct change *c, const char *ifname)
{
	const struct attachment *a = attachments_on(&c->at, ifname);

	return a && a->local ? a : NULL;
}

/* Checks that the filter can deliver where it did not before. Returns 0, or -errno (logged). */
static int check_new_delivery(const struct change *c, const struct dedup_config *cfg)
{
	bool did = c->f.config->policy.deliver;
	int err = cfg->policy.deliver && !did ? kernel_check_delivery() : 0;

	for (int i = 0; i < c->where.cnt && cfg->policy.deliver && !err; i++) {
		const struct attachment *a = attached_to(c, c->where.ifnames[i]);
		int ifindex = (int)if_nametoindex(c->where.ifnames[i]);
		uint64_t features;

		if (a && did)
			continue;
		if (driver_xdp_features(ifindex, &features)) /* unknown */
			features = DEVICE_XDP | DEVICE_XDP_REDIRECT;
		err = attach_check_redirect(c->where.ifnames[i], a ? a->mode : c->where.mode,
					    features);
	}
	return err;
}

int change_check_stacking(const struct change *c, const struct dedup_config *cfg)
{
	char *names[2 * DEDUP_IFACES_MAX];
	struct placement attached = { .ifnames = names };
	struct links links;
	int err;

	/* A link's program can be exchanged whatever is on top of its interface. */
	for (int i = 0; i < c->at.cnt; i++)
		if (c->at.list[i].local && c->at.list[i].shared)
			names[attached.cnt++] = (char *)c->at.list[i].ifname;
	for (int i = 0; i < c->where.cnt; i++)
		if (!attached_to(c, c->where.ifnames[i]))
			names[attached.cnt++] = c->where.ifnames[i];
	err = receivers_links(&links) ?:
	      receivers_check_above(&attached, &links) ?:
	      receivers_check_stacking(&c->where, &links) ?:
	      tunnel_devices_check(&c->where, cfg->tunnels.kinds, &links);
	links_free(&links);
	return err;
}

/* Notes which streams that stay have lost their ids. */
static void note_forgotten(const struct change *c, const struct dedup_config *cfg)
{
	for (uint32_t n = 0; n < cfg->policy.streams_cnt; n++) {
		const char *name = cfg->policy.streams[n].name;

		if (stream_number(c->f.config, name) >= 0 && !kept_knows_its_own(c->f.config, cfg, n))
			diag_note("%s: what stream %s knew is forgotten, as its realm, its id or its packets are others now",
				  c->f.name, name);
	}
}

/* Returns when --for ends: as before, unless it is given anew; 0 without --for. */
static uint64_t drop_until_ns(const struct change *c, const struct dedup_config *cfg)
{
	if (!cfg->asked.drop_ns)
		return 0;
	return c->w->spec.given.drop_for ? kernel_now_ns() + cfg->asked.drop_ns
					 : READ_ONCE(c->f.state->drop_until_ns);
}

/* The first error of an exchange, which is logged when the result of the exchange is known. */
struct first_error {
	char finding[DIAG_LINE_MAX_BYTES], advice[DIAG_LINE_MAX_BYTES];
};

static void keep_first_error(void *to, const struct diag *d)
{
	struct first_error *kept = to;

	if (d->kind != DIAG_ERR || *kept->finding) {
		diag_give(d);
		return;
	}
	snprintf(kept->finding, sizeof(kept->finding), "%s", d->finding);
	snprintf(kept->advice, sizeof(kept->advice), "%s", d->advice ?: "");
}

int change_exchange(struct change *c, const struct dedup_config *cfg)
{
	static struct first_error kept;
	struct diag_receiver r = { .take = keep_first_error, .to = &kept };
	int err;

	kept = (struct first_error){ 0 };
	diag_receive(&r);
	err = live_exchange(c->f.name, &c->requested, drop_until_ns(c, cfg));
	diag_receive_end(&r);
	if (err >= 0)
		note_forgotten(c, cfg);
	if (err > 0)
		return diag_err(-EINPROGRESS,
				"%s: the change is made, but its last steps are not: %s" ADVICE
				"xdp-dedup refresh %s does them",
				c->f.name, kept.finding, c->f.name);
	if (*kept.finding)
		diag_give(&(struct diag){ .kind = DIAG_ERR,
					  .location = diag_location(),
					  .finding = kept.finding,
					  .advice = *kept.advice ? kept.advice : NULL });
	return err;
}

int change_program(struct change *c, struct dedup_config *cfg)
{
	const struct dedup_config *old = c->f.config;
	char streams[WISH_STREAMS_TEXT_MAX];
	int err = change_check_stacking(c, cfg) ?: check_new_delivery(c, cfg);

	if (!err && old->policy.action == DEDUP_COUNT && cfg->policy.action != DEDUP_COUNT)
		err = kernel_check_preemption();
	if (err)
		return err;
	wish_streams_text(c->w, streams);
	err = plan_next_program(old, cfg);
	if (err == -ENOTUNIQ)
		return diag_err(
			err,
			"--hash %s has no key, so %s would take ids of other streams for those that it knows: xdp-dedup load --replace --name %s%s makes it a new filter",
			hash_name(old->memory.hash), c->f.name, c->f.name, streams);
	if (err == -ENOSPC)
		return diag_err(
			err,
			"%s has no memory for these streams: xdp-dedup load --replace --name %s%s makes it a new filter",
			c->f.name, c->f.name, streams);
	if (err)
		return diag_err(err, "the kernel's random source gave no secret");
	return loader_next_program(c->f.name, cfg, NULL) ?: change_exchange(c, cfg);
}

int change_check_room(struct change *c)
{
	int has = change_has_predecessor(&c->f);

	if (has <= 0 || c->w->forget)
		return has < 0 ? has : 0;
	return diag_err(
		-EBUSY,
		"%s has a predecessor since it was changed last, which still knows ids: --wait waits until it has gone, --forget gives up what only it knows",
		c->f.name);
}

int change_check_memory(const char *what, uint64_t need)
{
	uint64_t have = kernel_memory_available();

	if (!have || need <= have)
		return 0;
	return diag_err(-ENOMEM, "%s takes %s, and %s of memory are free", what, FORMAT_BYTES(need),
			FORMAT_BYTES(have));
}

void change_report(const char *name, const struct dedup_config *cfg)
{
	char promise[PLAN_PROMISE_MAX];

	diag_done("%s: %s, %s", name, plan_promise(cfg, promise), FORMAT_BYTES(plan_bytes(cfg)));
}

int change_filter(struct change *c, struct dedup_config *cfg)
{
	int err = change_check_stacking(c, cfg) ?: check_new_delivery(c, cfg) ?: change_check_room(c);

	if (err)
		return err;
	err = plan_next_filter(c->f.config, cfg);
	if (err)
		return diag_err(err, "the kernel's random source gave no secret");
	err = change_check_memory("the new memory, beside the one that runs,", plan_bytes(cfg)) ?:
	      loader_next_filter(c->f.name, cfg, &c->f) ?:
	      change_exchange(c, cfg);
	if (err)
		return err;
	change_report(c->f.name, cfg);
	diag_done("%s: what was there before, %s, is kept until it is forgotten: at most %s",
		  c->f.name, FORMAT_BYTES(plan_bytes(c->f.config)),
		  FORMAT_TIME(2 * c->f.config->memory.window_ns));
	return 0;
}
