// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "loader_next.h"

#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>

#include "diag.h"
#include "dirs.h"
#include "identity.h"
#include "kernel.h"
#include "loader.h"
#include "object.h"
#include "pin_dirs.h"
#include "pins.h"

/* Does +NAME share this map with NAME? is_new: +NAME is a filter with a new memory; if its
 * predecessor has no program, there is no filter NAME.
 */
static bool is_shared(enum pin pin, const struct dedup_config *cfg, const struct predecessor *p,
		      bool is_new)
{
	if (is_new && !(p && p->has_program))
		return false;
	if (pin_is_delivery(pin))
		return cfg->policy.deliver; /* then open sockets stay open */
	if (is_new)
		return pin == PIN_WANTED;
	switch (pin) {
	case PIN_CONFIG:
	case PIN_STATS:
	case PIN_RECORD:
		return false;
	case PIN_OUTER_STATE:
	case PIN_OUTER_FILTER:
	case PIN_PREDECESSOR_CONFIG:
	case PIN_PREDECESSOR_STATE:
	case PIN_PREDECESSOR_FILTER:
	case PIN_PREDECESSOR_TIMER:
		return !p;
	default:
		return true;
	}
}

/* Gives the pin of NAME a second name in +NAME. Maps that not every filter has may be missing:
 * accounts, maps of delivery and of a predecessor.
 */
static int share_pin(const char *name, enum pin pin)
{
	bool may_be_missing = pin == PIN_ACCOUNTS || pin_is_delivery(pin) || pin >= PINS_CNT;
	const char *to = PIN_PATH(PIN_STAGING(name), PINS[pin]);

	if (!link(PIN_PATH(name, PINS[pin]), to) || (errno == ENOENT && may_be_missing))
		return 0;
	return diag_err(-errno, "cannot pin %s: %s", to, strerror(errno));
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
	int err = bpf_map__set_inner_map_fd(skel->maps.outer_state, p->fds[PREDECESSOR_STATE])
			  ?: bpf_map__set_inner_map_fd(skel->maps.outer_filter,
						       p->fds[PREDECESSOR_FILTER]);

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
	int err = put_inner(skel->maps.outer_state, p->fds[PREDECESSOR_STATE])
			  ?: put_inner(skel->maps.outer_filter, p->fds[PREDECESSOR_FILTER]);

	if (err)
		return diag_err(err, "cannot use the predecessor's maps: %s", strerror(-err));
	for (int i = PREDECESSOR_MAPS - 1; i >= 0 && !err; i--)
		err = object_pin_at(p->fds[i], directory, PINS[PIN_PREDECESSOR_STATE + i]);
	return err;
}

/* Makes the maps in +NAME that are not there yet, loads the packet program, starts the hand of a
 * new filter, and pins the program last: without that pin the directory is incomplete.
 */
static int make_object(const char *directory, const struct dedup_config *cfg,
		       const struct predecessor *p, bool is_new)
{
	struct xdp_dedup *skel = NULL;
	int err = object_open(directory, cfg, &skel);

	if (err)
		return err;
	bpf_program__set_autoload(skel->progs.hand_start, is_new);
	if (p) {
		skel->data_record->record.sets_reported = p->sets_reported;
		skel->data_record->record.reported = p->reported;
		skel->data_state->state.exchanging = p->has_program;
		err = prepare_predecessor(skel, p);
	}
	err = err ?: object_load_filter(skel, directory, cfg);
	if (!err && p)
		err = put_predecessor(skel, p, directory);
	if (!err && is_new)
		err = object_start_hand(skel->progs.hand_start);
	if (!err)
		err = object_pin_at(bpf_program__fd(object_packet_program(skel)), directory,
				    PIN_PROG);
	xdp_dedup__destroy(skel);
	return err;
}

/* Makes +NAME. Returns 0; or -errno, with +NAME removed. */
static int make_staging(const char *name, const struct dedup_config *cfg,
			const struct predecessor *p, bool is_new)
{
	int err = pin_dir_begin(name);

	if (err)
		return err;
	for (int pin = 0; pin < PINS_ALL && !err; pin++)
		if (is_shared(pin, cfg, p, is_new))
			err = share_pin(name, pin);
	err = err ?: make_object(PIN_STAGING(name), cfg, p, is_new);
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
	return make_staging(name, cfg, predecessor, false);
}

int loader_next_filter(const char *name, const struct dedup_config *cfg, const struct filter *running)
{
	struct predecessor p;
	int err = predecessor_of_filter(running, &p);

	if (err)
		return err;
	err = make_staging(name, cfg, &p, true);
	predecessor_close(&p);
	return err;
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
	struct dedup_config config = *cfg;
	int err = 0;

	if (path_exists(PIN_PATH(name, NULL)) > 0)
		return diag_err(-EEXIST, "there is a filter %s already", name);
	if (!predecessor)
		err = object_draw_secrets(&config);
	return err ? err : make_staging(name, &config, predecessor, true);
}
