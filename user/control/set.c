// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* set: another program over the same memory, put in the place of the one that runs (live_exchange.h). */
#include "change.h"
#include "diag.h"
#include "stream_options.h"
#include "verbs.h"

static int set(const struct options *o, struct change *c)
{
	char *remove[DEDUP_IFACES_MAX];
	struct dedup_config cfg;
	int remove_cnt = 0, err;

	for (int i = 0; i < o->remove_cnt; i++)
		if (!c->is_given_up[i])
			remove[remove_cnt++] = o->remove[i];
	err = change_interfaces(c, o->add, o->add_cnt, remove, remove_cnt);
	if (!err)
		err = change_ask_packets(o, c);
	if (err)
		return err;
	change_ask_action(o, c);
	err = change_plan(c, &cfg);
	return err ? err : change_program(o, c, &cfg);
}

/* Is there anything to be done but, perhaps, in another mode? */
static bool asks_anything(const struct options *o)
{
	const struct options_given *given = &o->given;

	return given->action || given->drop_for || given->learn || given->ihave || given->deliver ||
	       given->port || given->to || given->vlan || given->forwarded || o->spec.streams_cnt ||
	       o->add_cnt || o->remove_cnt;
}

int verb_set(const struct options *o)
{
	struct change c;
	int err;

	if (!asks_anything(o)) {
		diag_err(0, "what is to change? As in --action drop" ADVICE
			    "xdp-dedup set --help lists all");
		return EXIT_MISUSED;
	}
	if (options_check_once(o->add, o->add_cnt) || options_check_once(o->remove, o->remove_cnt) ||
	    (o->spec.streams_cnt && stream_options_check(o)))
		return EXIT_MISUSED;
	if (change_begin(o, &c))
		return EXIT_FAILED;
	err = set(o, &c);
	change_end(&c);
	return err ? EXIT_FAILED : EXIT_DONE;
}
