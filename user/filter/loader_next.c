// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "loader_next.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "kernel.h"
#include "loader.h"
#include "object.h"
#include "pin_dirs.h"
#include "predecessor.h"
#include "say.h"

/* Opens a pin of NAME: its descriptor, or -errno, which is said. */
static int open_pin(const char *name, enum pin pin)
{
	char path[PATH_MAX];
	int fd;

	pin_path(path, name, PINS[pin]);
	fd = bpf_obj_get(path);
	return fd < 0 ? say_err(-errno, "cannot open %s: %s", path, strerror(errno)) : fd;
}

/* Pins the map of NAME as one of HALF_MADE's, too. */
static int share_pin(const char *name, enum pin pin)
{
	int fd = open_pin(name, pin), err;
	char path[PATH_MAX];

	if (fd < 0)
		return fd;
	pin_path(path, HALF_MADE, PINS[pin]);
	err = bpf_obj_pin(fd, path) ? say_err(-errno, "cannot pin %s: %s", path, strerror(errno)) : 0;
	close(fd);
	return err;
}

/* The same of what a filter of this configuration has to deliver, if NAME delivers already: sockets
 * that are open stay so.
 */
static int share_delivery(const char *name, const struct dedup_config *cfg)
{
	char path[PATH_MAX];
	int err = 0;

	for (int pin = 0; pin < PINS_CNT && cfg->deliver && !err; pin++) {
		pin_path(path, name, PINS[pin]);
		if (!pin_is_delivery(pin) || (access(path, F_OK) && errno == ENOENT))
			continue;
		err = share_pin(name, pin);
	}
	return err;
}

/* Puts a map into the only element of a map of maps. */
static int put_inner(const struct bpf_map *outer, int inner_fd)
{
	__u32 zero = 0;

	return bpf_map_update_elem(bpf_map__fd(outer), &zero, &inner_fd, BPF_ANY) ? -errno : 0;
}

/* A predecessor's maps, to be used by one object. */
struct predecessor {
	const struct filter *f;
	int state_fd, filter_fd;
};

static void close_predecessor(struct predecessor *p)
{
	if (p->state_fd >= 0)
		close(p->state_fd);
	if (p->filter_fd >= 0)
		close(p->filter_fd);
}

/* Opens them. 0, or -errno, which is said; the caller calls close_predecessor() in any case. */
static int open_predecessor(const struct filter *before, struct predecessor *p)
{
	*p = (struct predecessor){ before, open_pin(before->name, PIN_STATE), -1 };
	if (p->state_fd < 0)
		return p->state_fd;
	p->filter_fd = open_pin(before->name, PIN_FILTER);
	return p->filter_fd < 0 ? p->filter_fd : 0;
}

/* Before the object is loaded, and after. */
static int prepare_predecessor(struct xdp_dedup *skel, const struct predecessor *p)
{
	int err = bpf_map__set_inner_map_fd(skel->maps.before_state, p->state_fd);

	if (!err)
		err = bpf_map__set_inner_map_fd(skel->maps.before_filter, p->filter_fd);
	if (err)
		return say_err(err, "cannot prepare the predecessor's maps: %s", strerror(-err));
	*(struct dedup_config *)&skel->rodata_predecessor->predecessor_config = *p->f->config;
	return 0;
}

static int put_predecessor(struct xdp_dedup *skel, const struct predecessor *p)
{
	int err = put_inner(skel->maps.before_state, p->state_fd);

	if (!err)
		err = put_inner(skel->maps.before_filter, p->filter_fd);
	return err ? say_err(err, "cannot use the predecessor's maps: %s", strerror(-err)) : 0;
}

/* Is this the pin of a map that each program of a filter has for itself? */
static bool is_programs_own(enum pin pin, bool has_own_predecessor)
{
	if (pin == PIN_BEFORE_STATE || pin == PIN_BEFORE_FILTER || pin == PIN_BEFORE_CONFIG)
		return has_own_predecessor;
	return pin == PIN_CONFIG || pin == PIN_STATS;
}

/* Loads the object without a hand of its own. */
static int load_program_maps(struct xdp_dedup *skel, const struct dedup_config *cfg)
{
	int err;

	*(struct dedup_config *)&skel->rodata_config->config = *cfg;
	bpf_program__set_autoload(loader_packet_program(skel), false);
	bpf_program__set_autoload(skel->progs.hand_start, false);
	bpf_program__set_autoload(skel->progs.hand_adopt, true);
	err = xdp_dedup__load(skel);
	return err ? kernel_explain(err, 0) : object_check(skel, skel->progs.hand_adopt);
}

/* Makes the program's own maps, of its configuration and its counters, and of the predecessor that
 * it gets, unless p is NULL; all others are there.
 */
static int make_program(const char *name, const struct dedup_config *cfg, const struct predecessor *p)
{
	struct xdp_dedup *skel = NULL;
	int err = 0;

	for (int pin = 0; pin < PINS_CNT && !err; pin++)
		if (!is_programs_own(pin, p) && !pin_is_delivery(pin))
			err = share_pin(name, pin);
	if (!err)
		err = share_delivery(name, cfg);
	if (!err)
		err = object_open(HALF_MADE, cfg, &skel);
	if (err)
		return err;
	if (p)
		err = prepare_predecessor(skel, p);
	if (!err)
		err = load_program_maps(skel, cfg);
	if (!err && p)
		err = put_predecessor(skel, p);
	xdp_dedup__destroy(skel);
	return err;
}

/* Loads the object as a predecessor's successor, and starts its hand. One that is in charge has a
 * program, which is exchanged.
 */
static int start_successor(struct xdp_dedup *skel, const struct dedup_config *cfg,
			   const struct predecessor *p)
{
	int err = prepare_predecessor(skel, p);

	if (err)
		return err;
	skel->data_state->state.exchanging = p->f->state->successor != DEDUP_SUCCESSOR_IN_CHARGE;
	bpf_program__set_autoload(loader_packet_program(skel), false);
	err = object_load_filter(skel, cfg);
	if (!err)
		err = put_predecessor(skel, p);
	return err ? err : object_start_hand(skel);
}

/* Makes the successor of a filter that is open as *before. */
static int make_successor(const struct dedup_config *cfg, const struct filter *before)
{
	struct xdp_dedup *skel = NULL;
	struct predecessor p;
	int err = open_predecessor(before, &p);

	if (!err)
		err = share_pin(before->name, PIN_WANTED);
	if (!err)
		err = share_pin(before->name, PIN_HANDLED);
	if (!err)
		err = share_delivery(before->name, cfg);
	if (!err)
		err = object_open(HALF_MADE, cfg, &skel);
	if (!err)
		err = start_successor(skel, cfg, &p);
	if (skel)
		xdp_dedup__destroy(skel);
	close_predecessor(&p);
	return err;
}

int next_create(const char *name, const struct dedup_config *cfg)
{
	struct filter before;
	int err = filter_open_prefixed(BEFORE, name, &before);

	if (err)
		return loader_explain(name, err);
	err = pin_dir_begin();
	if (!err)
		err = pin_dir_end(make_successor(cfg, &before), name);
	filter_close(&before);
	return err;
}

int loader_next_program(const char *name, const struct dedup_config *cfg, const struct filter *before)
{
	struct predecessor p = { .state_fd = -1, .filter_fd = -1 };
	char beside[PATH_MAX];
	int err = filter_format(name);

	if (err != DEDUP_FORMAT)
		return say_err(
			err < 0 ? err : -EPROTO,
			"%s was loaded by an older xdp-dedup: xdp-dedup load --replace --name %s "
			"makes it one of this version, first",
			name, name);
	err = pin_dir_begin();
	if (err)
		return err;
	if (before)
		err = open_predecessor(before, &p);
	if (!err)
		err = make_program(name, cfg, before ? &p : NULL);
	close_predecessor(&p);
	pin_dir_prefixed(beside, BESIDE, name);
	return pin_dir_end(err, beside);
}

int loader_next_filter(const char *name, const struct dedup_config *cfg, const struct filter *before)
{
	char beside[PATH_MAX];
	int err = pin_dir_begin();

	pin_dir_prefixed(beside, BESIDE, name);
	return err ? err : pin_dir_end(make_successor(cfg, before), beside);
}

int loader_swap(const char *name)
{
	char beside[PATH_MAX], old[PATH_MAX], new[PATH_MAX];

	pin_dir_prefixed(beside, BESIDE, name);
	pin_path(old, name, NULL);
	pin_path(new, beside, NULL);
	return renameat2(AT_FDCWD, new, AT_FDCWD, old, RENAME_EXCHANGE)
		       ? say_err(-errno, "cannot exchange %s for %s: %s", old, new, strerror(errno))
		       : 0;
}

int loader_keep_predecessor(const char *name)
{
	char beside[PATH_MAX], before[PATH_MAX];

	pin_dir_prefixed(beside, BESIDE, name);
	pin_dir_prefixed(before, BEFORE, name);
	return pin_dir_rename(beside, before);
}

int loader_adopt_hand(const char *name)
{
	struct xdp_dedup *skel;
	int err = loader_program_open(name, &skel);

	if (err)
		return err;
	bpf_program__set_autoload(loader_packet_program(skel), false);
	bpf_program__set_autoload(skel->progs.hand_adopt, true);
	err = xdp_dedup__load(skel);
	if (err)
		kernel_explain(err, 0);
	else if ((err = object_run(skel->progs.hand_adopt)))
		say_err(err, "cannot hand the filter's clock over: %s", strerror(-err));
	xdp_dedup__destroy(skel);
	return err;
}
