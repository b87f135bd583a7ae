// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* set: another program over the same memory, put in the place of the one that runs (handover.h). */
#include <errno.h>
#include <string.h>

#include "change.h"
#include "checks.h"
#include "handover.h"
#include "kernel.h"
#include "loader.h"
#include "plan.h"
#include "receivers.h"
#include "say.h"
#include "secrets.h"
#include "stream_options.h"
#include "verbs.h"

/* Puts the packets that are asked for over those of now. */
static int set_packets(const struct options *o, const struct change *c, struct filter_spec *spec)
{
	bool streams = o->spec.streams_cnt;

	if (streams) {
		memcpy(spec->streams, o->spec.streams, sizeof(spec->streams));
		spec->streams_cnt = o->spec.streams_cnt;
		spec->id_bytes = 0;
	} else if (spec->streams_cnt && o->given & (GIVEN_PORT | GIVEN_TO | GIVEN_FORWARDED)) {
		return say_err(-EINVAL, "%s has streams: say all that it is to have, by --profile",
			       c->f.name);
	}
	if (o->given & GIVEN_PORT || streams) {
		memcpy(spec->ports, o->spec.ports, sizeof(spec->ports));
		spec->ports_cnt = o->spec.ports_cnt;
	}
	if (o->given & GIVEN_TO) {
		memcpy(spec->to, o->spec.to, sizeof(spec->to));
		spec->to_cnt = o->spec.to_cnt;
		spec->to4_cnt = o->spec.to4_cnt;
	}
	if (o->given & GIVEN_FORWARDED)
		spec->forwarded = true;
	return 0;
}

static void set_action(const struct options *o, struct filter_spec *spec)
{
	if (o->given & (GIVEN_ACTION | GIVEN_FOR)) {
		spec->count_only = o->spec.count_only;
		spec->drop_ns = o->spec.drop_ns;
	}
	if (o->given & GIVEN_LEARN)
		spec->learn_app = o->spec.learn_app;
	if (o->given & GIVEN_IHAVE)
		spec->ihave_pass = o->spec.ihave_pass;
}

/* The place of this interface among those where the filter is to run; -1 if it is not. */
static int place_of(const struct change *c, const char *ifname)
{
	for (int i = 0; i < c->where.cnt; i++)
		if (!strcmp(c->ifnames[i], ifname))
			return i;
	return -1;
}

static int remove_interface(struct change *c, const char *ifname)
{
	int place = place_of(c, ifname);

	if (place < 0)
		return say_err(-ENODEV, "%s does not run on %s", c->f.name, ifname);
	if (c->where.cnt == 1)
		return say_err(-EINVAL, "%s would run nowhere: xdp-dedup unload ends it", c->f.name);
	c->ifnames[place] = c->ifnames[--c->where.cnt];
	return 0;
}

/* Adds one behind those that are checked as a load would check them. */
static int add_interface(struct change *c, char *ifname)
{
	if (place_of(c, ifname) >= 0)
		return say_err(-EEXIST, "%s runs on %s already", c->f.name, ifname);
	if (c->where.cnt == DEDUP_IFACES_MAX)
		return say_err(-E2BIG, "at most %d interfaces", DEDUP_IFACES_MAX);
	c->ifnames[c->where.cnt++] = ifname;
	return 0;
}

static int set_interfaces(const struct options *o, struct change *c)
{
	struct placement added = { (char *const *)o->add, o->add_cnt, o->mode };
	struct links links;
	int err = 0;

	for (int i = 0; i < o->remove_cnt && !err; i++)
		err = remove_interface(c, o->remove[i]);
	for (int i = 0; i < o->add_cnt && !err; i++) {
		err = attach_check_named(&added, i);
		if (!err)
			err = add_interface(c, o->add[i]);
		if (!err)
			err = attach_check_room(o->add[i]);
	}
	if (err || !o->add_cnt)
		return err;
	err = receivers_links(&links);
	if (err)
		return err;
	for (int i = 0; i < o->add_cnt && !err; i++)
		err = receivers_check_ethernet(o->add[i], &links);
	if (!err)
		err = receivers_check_stacking(&c->where, &links);
	links_free(&links);
	return err;
}

/* Are the streams of both the same ones, in the same order? */
static bool same_streams(const struct dedup_config *a, const struct dedup_config *b)
{
	bool same = a->streams_cnt == b->streams_cnt;

	for (uint32_t i = 0; i < a->streams_cnt && same; i++)
		same = !strcmp(a->streams[i].name, b->streams[i].name) &&
		       a->streams[i].realm == b->streams[i].realm;
	return same;
}

/* Makes the new program's configuration. */
static int plan(const struct options *o, struct change *c, struct dedup_config *cfg)
{
	const struct dedup_config *old = c->f.config;
	struct filter_spec spec = c->spec;
	int err = set_packets(o, c, &spec);

	if (err)
		return err;
	set_action(o, &spec);
	spec.several = c->where.cnt > 1;
	err = plan_here(&spec, cfg);
	if (err)
		return err;
	err = plan_on_memory_of(old, cfg);
	if (err)
		return say_err(err,
			       "the ids of these streams are longer than those that %s is for: "
			       "unload and load it",
			       c->f.name);
	if (!same_streams(old, cfg) && handover_has_predecessor(c->f.name))
		return say_err(
			-EBUSY,
			"%s still has a predecessor, and would have other streams: once it has "
			"gone (xdp-dedup status), again",
			c->f.name);
	err = secrets_take(old, cfg);
	return err ? say_err(err, "the kernel's random source gave no secret") : 0;
}

static int set(const struct options *o, struct change *c)
{
	struct dedup_config cfg;
	int err = set_interfaces(o, c);

	if (!err)
		err = plan(o, c, &cfg);
	if (!err)
		err = loader_next_program(c->f.name, &cfg, NULL);
	if (err)
		return err;
	if (cfg.drop_ns && o->given & GIVEN_FOR)
		WRITE_ONCE(c->f.state->drop_until_ns, kernel_now_ns() + cfg.drop_ns);
	return handover(c->f.name, &c->where);
}

int verb_set(const struct options *o)
{
	struct change c;
	int err;

	if (!o->given && !o->spec.streams_cnt && !o->add_cnt && !o->remove_cnt) {
		say_err(0,
			"what is to change? As in --action drop; xdp-dedup set --help lists all");
		return EXIT_MISUSED;
	}
	if (o->spec.streams_cnt && stream_options_check(o))
		return EXIT_MISUSED;
	if (change_begin(o, &c))
		return EXIT_FAILED;
	err = set(o, &c);
	change_end(&c);
	return err ? EXIT_FAILED : EXIT_DONE;
}
