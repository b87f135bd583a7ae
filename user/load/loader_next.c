// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "loader_next.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "diag.h"
#include "identity.h"
#include "kernel.h"
#include "loader.h"
#include "object.h"
#include "pin_dirs.h"
#include "pins.h"

/* Pins the map of NAME in +NAME, too. Maps that not every filter has may be missing: accounts, maps
 * of delivery and of a predecessor.
 */
static int share_pin(const char *name, enum pin pin)
{
	const char *from = PIN_PATH(name, PINS[pin]);
	int fd = bpf_obj_get(from), err;

	if (fd < 0 && errno == ENOENT &&
	    (pin == PIN_ACCOUNTS || pin_is_delivery(pin) || pin >= PINS_CNT))
		return 0;
	if (fd < 0)
		return diag_err(-errno, "cannot open %s: %s", from, strerror(errno));
	err = object_pin_at(fd, PIN_STAGING(name), PINS[pin]);
	close(fd);
	return err;
}

/* Shares the maps of delivery with +NAME, if both NAME and this configuration deliver: then open
 * sockets stay open.
 */
static int share_delivery(const char *name, const struct dedup_config *cfg)
{
	int err = 0;

	for (int pin = 0; pin < PINS_CNT && cfg->policy.deliver && !err; pin++)
		if (pin_is_delivery(pin))
			err = share_pin(name, pin);
	return err;
}

/* Puts a map into the only element of a map of maps. */
static int put_inner(const struct bpf_map *outer, int inner_fd)
{
	__u32 zero = 0;

	return bpf_map_update_elem(bpf_map__fd(outer), &zero, &inner_fd, BPF_ANY) ? -errno : 0;
}

/* Makes the object, which is not loaded yet, look ids up in this predecessor, too. */
static int prepare_predecessor(struct xdp_dedup *skel, const struct predecessor *p)
{
	struct dedup_config *config =
		(struct dedup_config *)&skel->rodata_predecessor->predecessor_config;
	int err = bpf_map__set_inner_map_fd(skel->maps.outer_state, p->state_fd)
			  ?: bpf_map__set_inner_map_fd(skel->maps.outer_filter, p->filter_fd);

	if (err)
		return diag_err(err, "cannot prepare the predecessor's maps: %s", strerror(-err));
	*config = p->config;
	config->format =
		DEDUP_FORMAT; /* the copy has this format, even if the original had another */
	return 0;
}

/* Puts the predecessor's maps into the loaded object, and pins them in its directory. */
static int put_predecessor(struct xdp_dedup *skel, const struct predecessor *p, const char *directory)
{
	int err = put_inner(skel->maps.outer_state, p->state_fd)
			  ?: put_inner(skel->maps.outer_filter, p->filter_fd);

	if (err)
		return diag_err(err, "cannot use the predecessor's maps: %s", strerror(-err));
	return predecessor_pin(p, directory);
}

/* Does each program of a filter have a map of its own for this pin? */
static bool is_programs_own(enum pin pin, bool has_own_predecessor)
{
	switch (pin) {
	case PIN_OUTER_STATE:
	case PIN_OUTER_FILTER:
	case PIN_PREDECESSOR_CONFIG:
	case PIN_PREDECESSOR_STATE:
	case PIN_PREDECESSOR_FILTER:
	case PIN_PREDECESSOR_TIMER:
		return has_own_predecessor;
	default:
		return pin == PIN_CONFIG || pin == PIN_STATS || pin == PIN_RECORD;
	}
}

/* Pins the loaded packet program. */
static int pin_program(const struct xdp_dedup *skel, const char *directory)
{
	return object_pin_at(bpf_program__fd(object_packet_program(skel)), directory, PIN_PROG);
}

/* Loads the object without a hand of its own. */
static int load_next_program(struct xdp_dedup *skel, const struct dedup_config *cfg,
			     const struct predecessor *p, const char *directory)
{
	struct dedup_record *r = &skel->data_record->record;
	int err;

	*(struct dedup_config *)&skel->rodata_config->config = *cfg;
	r->own_mac = DEDUP_MAC_NONE;
	r->sets_told = p && p->sets_told;
	r->told = p ? p->told : 0;
	bpf_program__set_autoload(skel->progs.hand_start, false);
	err = xdp_dedup__load(skel);
	if (err)
		return kernel_explain(err, 0);
	return object_check(skel) ?: object_pin(skel, directory) ?: pin_program(skel, directory);
}

/* Makes and loads the next program in +NAME: with new maps of its configuration, its counters and
 * its record, and with predecessor p, unless that is NULL. It shares all other maps of NAME.
 */
static int make_program(const char *name, const struct dedup_config *cfg, const struct predecessor *p)
{
	const char *staging = PIN_STAGING(name);
	struct xdp_dedup *skel = NULL;
	int err = 0;

	for (int pin = 0; pin < PINS_ALL && !err; pin++)
		if (!is_programs_own(pin, p) && !pin_is_delivery(pin))
			err = share_pin(name, pin);
	err = err ?: share_delivery(name, cfg) ?: object_open(staging, cfg, &skel);
	if (err)
		return err;
	if (p)
		err = prepare_predecessor(skel, p);
	if (!err)
		err = load_next_program(skel, cfg, p, staging);
	if (!err && p)
		err = put_predecessor(skel, p, staging);
	xdp_dedup__destroy(skel);
	return err;
}

/* Loads the object as a predecessor's successor, and starts its hand. */
static int start_successor(struct xdp_dedup *skel, const struct dedup_config *cfg,
			   const struct predecessor *p, const char *directory)
{
	int err = prepare_predecessor(skel, p);

	if (err)
		return err;
	skel->data_state->state.exchanging = p->has_program;
	return object_load_filter(skel, directory, cfg)
		       ?: put_predecessor(skel, p, directory)
		       ?: object_start_hand(skel);
}

/* Makes the maps of a filter in this directory, loads its packet program, starts its hand, and pins
 * the program last: without that pin the directory is incomplete.
 */
static int make_filter(const char *directory, const struct dedup_config *cfg,
		       const struct predecessor *predecessor)
{
	struct xdp_dedup *skel = NULL;
	int err = object_open(directory, cfg, &skel);

	if (err)
		return err;
	err = predecessor ? start_successor(skel, cfg, predecessor, directory)
			  : object_start_filter(skel, directory, cfg);
	err = err ?: pin_program(skel, directory);
	xdp_dedup__destroy(skel);
	return err;
}

/* Removes +NAME if err is not 0. Returns err. */
static int finish_staging(int err, const char *name)
{
	if (err)
		pin_dir_remove_staging(name);
	return err;
}

int loader_next_program(const char *name, const struct dedup_config *cfg,
			const struct predecessor *predecessor)
{
	int err = filter_format(name);

	if (err != DEDUP_FORMAT)
		return diag_err(
			err < 0 ? err : -EPROTO,
			"%s was loaded by an older xdp-dedup: xdp-dedup load --replace --name %s makes it one of this version, first",
			name, name);
	err = pin_dir_begin(name);
	return err ? err : finish_staging(make_program(name, cfg, predecessor), name);
}

/* Makes the successor of a running filter in +NAME. */
static int make_successor(const struct dedup_config *cfg, const struct filter *running)
{
	const char *name = running->name;
	struct predecessor p;
	int err = predecessor_of_filter(running, &p);

	if (err)
		return err;
	err = share_pin(name, PIN_WANTED)
	      ?: share_delivery(name, cfg)
	      ?: make_filter(PIN_STAGING(name), cfg, &p);
	predecessor_close(&p);
	return err;
}

int loader_next_filter(const char *name, const struct dedup_config *cfg, const struct filter *running)
{
	int err = pin_dir_begin(name);

	return err ? err : finish_staging(make_successor(cfg, running), name);
}

int loader_adopt_hand(const char *name)
{
	struct xdp_dedup *skel;
	int err = loader_program_open(name, &skel);

	if (err)
		return err;
	bpf_program__set_autoload(object_packet_program(skel), false);
	bpf_program__set_autoload(skel->progs.hand_adopt, true);
	err = xdp_dedup__load(skel);
	if (err)
		kernel_explain(err, 0);
	else if ((err = object_run(skel->progs.hand_adopt)))
		diag_err(err, "cannot hand the filter's clock over: %s", strerror(-err));
	xdp_dedup__destroy(skel);
	return err;
}

int loader_create(const char *name, const struct dedup_config *cfg,
		  const struct predecessor *predecessor)
{
	int err;

	if (!access(PIN_PATH(name, NULL), F_OK))
		return diag_err(-EEXIST, "there is a filter %s already", name);
	err = pin_dir_begin(name);
	return err ? err : finish_staging(make_filter(PIN_STAGING(name), cfg, predecessor), name);
}
