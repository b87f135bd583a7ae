// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* load and unload: a filter's life. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "kernel.h"
#include "loader.h"
#include "plan.h"
#include "say.h"
#include "units.h"
#include "verbs.h"

/* The first interface's name; what bpffs does not take in a name becomes '_'. */
static void default_name(const char *ifname, char name[NAME_MAX_LEN + 1])
{
	snprintf(name, NAME_MAX_LEN + 1, "%s", ifname);
	for (char *c = name; *c; c++)
		if (!loader_name_ok((char[]){ *c, 0 }))
			*c = '_';
	if (strcmp(name, ifname))
		say_note("the filter is called %s: pins cannot have %s's name", name, ifname);
}

static bool is_attached(uint32_t state_id)
{
	struct attachment *list;
	bool found = false;
	int cnt;

	if (attach_list(&list, &cnt))
		return true; /* unknown: rather keep than remove */
	for (int i = 0; i < cnt; i++)
		found |= list[i].state_id == state_id;
	free(list);
	return found;
}

/* Interfaces of other network namespaces cannot be asked; its own record must do. */
static bool is_recorded_elsewhere(const struct filter *f)
{
	uint32_t netns = kernel_netns();

	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (f->state->ifaces[i].ifindex && f->state->ifaces[i].netns != netns)
			return true;
	return false;
}

/* Does a program work with the pins of this name, of whatever version they are? */
static bool is_alive(const char *name)
{
	uint32_t state_id;
	struct filter f;
	bool elsewhere;

	if (!loader_state_id(name, &state_id) && is_attached(state_id))
		return true;
	if (filter_open(name, &f))
		return false;
	elsewhere = is_recorded_elsewhere(&f);
	filter_close(&f);
	return elsewhere;
}

/* The name must be free. What a crashed load left under it is removed. */
static int claim_name(const char *name)
{
	struct filter f;
	int err = filter_open(name, &f);

	if (err == -ENOENT)
		return 0;
	if (!err)
		filter_close(&f);
	if (is_alive(name))
		return say_err(-EEXIST,
			       "the filter %s is loaded already%s; --name gives another name, "
			       "xdp-dedup unload --name %s removes it",
			       name, err ? ", by another version of this program" : "", name);
	say_note("removing what an earlier load left of %s: nothing is attached to it", name);
	return loader_remove(name);
}

static int record_interfaces(const char *name, const struct options *o)
{
	struct filter f;
	int err = filter_open_or_say(name, &f);

	if (err)
		return err;
	for (int i = 0; i < o->args_cnt; i++) {
		struct dedup_iface *iface = &f.state->ifaces[i];

		snprintf(iface->name, sizeof(iface->name), "%s", o->args[i]);
		iface->netns = kernel_netns();
		iface->ifindex = if_nametoindex(o->args[i]);
	}
	filter_close(&f);
	return 0;
}

static int check_memory(const struct dedup_config *cfg)
{
	uint64_t need = (uint64_t)cfg->blocks * sizeof(struct dedup_block);
	uint64_t have = kernel_memory_available();
	char need_text[32], have_text[32];

	if (!have || need <= have)
		return 0;
	return say_err(-ENOMEM,
		       "a filter for %llu ids takes %s, and %s of memory are free; lower "
		       "--capacity or raise --fpr",
		       cfg->capacity, format_bytes(need, need_text, sizeof(need_text)),
		       format_bytes(have, have_text, sizeof(have_text)));
}

static int attach_program(const char *name, const struct options *o)
{
	struct xdp_dedup *prog;
	int err = loader_program_open(name, &prog);

	if (err)
		return err;
	err = attach_all(prog, o->args, o->args_cnt, o->mode);
	if (!err)
		err = loader_pin_program(name, attach_prog_fd(prog));
	loader_program_close(prog);
	return err;
}

int verb_load(const struct options *o)
{
	char name[NAME_MAX_LEN + 1], size[32], window[32];
	struct dedup_config cfg;

	if (!o->ports_cnt) {
		say_err(0, "--port is missing: which UDP ports carry gossip? as in --port 8001");
		return EXIT_MISUSED;
	}
	if (o->name && !loader_name_ok(o->name)) {
		say_err(0, "--name %s: 1 to %d letters, digits, - and _", o->name, NAME_MAX_LEN);
		return EXIT_MISUSED;
	}
	if (plan_here(o, &cfg) || loader_begin(o->verbose) || check_memory(&cfg) ||
	    attach_check(o->args, o->args_cnt))
		return EXIT_FAILED;
	if (o->name)
		snprintf(name, sizeof(name), "%s", o->name);
	else
		default_name(o->args[0], name);

	if (claim_name(name) || loader_create(name, &cfg))
		return EXIT_FAILED;
	if (record_interfaces(name, o) || attach_program(name, o)) {
		loader_remove(name);
		return EXIT_FAILED;
	}
	printf("%s: %llu ids a window of %s, at most %g of fresh events lost, %s\n", name,
	       cfg.capacity, format_time(cfg.window_ns, window, sizeof(window)), plan_fpr(&cfg),
	       format_bytes((uint64_t)cfg.blocks * sizeof(struct dedup_block), size, sizeof(size)));
	return EXIT_DONE;
}

/* Detaches this filter's program from ifname, or from everywhere if that is NULL.
 * Returns how many interfaces of this namespace still run it, or -errno.
 */
static int detach_from(uint32_t state_id, const char *ifname)
{
	struct attachment *list;
	int cnt, left = 0, err = attach_list(&list, &cnt);

	if (err)
		return err;
	for (int i = 0; i < cnt && !err; i++) {
		if (list[i].state_id != state_id)
			continue;
		if (ifname && strcmp(list[i].ifname, ifname))
			left++;
		else
			err = detach(&list[i]);
	}
	free(list);
	return err ?: left;
}

static void forget_interface(struct filter *f, const char *ifname)
{
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		struct dedup_iface *iface = &f->state->ifaces[i];

		if (iface->netns == kernel_netns() && !strcmp(iface->name, ifname))
			*iface = (struct dedup_iface){ 0 };
	}
}

static int unload_name(const char *name)
{
	uint32_t state_id;
	struct filter f;
	int err = filter_open(name, &f);

	if (err && err != -EPROTO)
		return filter_open_or_say(name, &f);
	if (!err)
		filter_close(&f);
	/* The state map says who uses these pins, also those of another version. */
	err = loader_state_id(name, &state_id) ? 0 : detach_from(state_id, NULL);
	return err < 0 ? err : loader_remove(name);
}

/* The filter whose state map this is; -ENOENT if no pins show it. */
static int find_filter(uint32_t state_id, struct filter *f)
{
	char **names;
	int err = loader_names(&names);

	if (err)
		return err;
	err = -ENOENT;
	for (char **n = names; *n && err; n++) {
		err = filter_open(*n, f);
		if (!err && f->state_id != state_id) {
			filter_close(f);
			err = -ENOENT;
		}
	}
	loader_free_names(names);
	return err;
}

/* A recorded interface that is gone, or from which someone else detached us. */
static int find_by_record(const char *ifname, struct filter *f)
{
	char **names;
	int err = loader_names(&names);

	if (err)
		return err;
	err = -ENOENT;
	for (char **n = names; *n && err; n++) {
		if (filter_open(*n, f))
			continue;
		for (int i = 0; i < DEDUP_IFACES_MAX && err; i++)
			if (f->state->ifaces[i].ifindex &&
			    f->state->ifaces[i].netns == kernel_netns() &&
			    !strcmp(f->state->ifaces[i].name, ifname))
				err = 0;
		if (err)
			filter_close(f);
	}
	loader_free_names(names);
	return err;
}

static int unload_interface(const char *ifname)
{
	struct attachment *list, a = { 0 };
	char name[NAME_MAX_LEN + 1];
	struct filter f;
	int cnt, left, err = attach_list(&list, &cnt);

	if (err)
		return err;
	for (int i = 0; i < cnt; i++)
		if (!strcmp(list[i].ifname, ifname))
			a = list[i];
	free(list);
	if (!a.ifindex)
		err = find_by_record(ifname, &f);
	else if (find_filter(a.state_id, &f))
		return detach(&a); /* its pins are gone: only the program is left */
	if (err)
		return say_err(err, "%s runs no filter; xdp-dedup status lists those that do",
			       ifname);

	left = detach_from(f.state_id, ifname);
	if (left >= 0)
		forget_interface(&f, ifname);
	if (!left)
		left = is_recorded_elsewhere(&f);
	strcpy(name, f.name);
	filter_close(&f);
	if (left < 0)
		return left;
	return left ? 0 : loader_remove(name);
}

/* Goes on after a failure, and does not forget it. */
static int first_error(int err, int next)
{
	return err ? err : next;
}

/* Every filter, and programs whose pins are gone. */
static int unload_all(void)
{
	struct attachment *list;
	char **names;
	int cnt, err = loader_names(&names);

	if (err)
		return err;
	for (char **n = names; *n; n++)
		err = first_error(err, unload_name(*n));
	loader_free_names(names);
	if (attach_list(&list, &cnt))
		return -EIO;
	for (int i = 0; i < cnt; i++)
		err = first_error(err, detach(&list[i]));
	free(list);
	return err;
}

int verb_unload(const struct options *o)
{
	int err = 0;

	if (!!o->args_cnt + !!o->name + o->all != 1) {
		say_err(0, "unload takes interfaces, or --name NAME, or --all");
		return EXIT_MISUSED;
	}
	if (loader_begin(o->verbose))
		return EXIT_FAILED;
	if (o->name)
		err = unload_name(o->name);
	for (int i = 0; i < o->args_cnt; i++)
		err = first_error(err, unload_interface(o->args[i]));
	if (o->all)
		err = unload_all();
	return err ? EXIT_FAILED : EXIT_DONE;
}
