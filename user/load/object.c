// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "object.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "account.h"
#include "diag.h"
#include "dirs.h"
#include "kernel.h"
#include "pins.h"
#include "plan.h"
#include "known_ids.h"
#include "secrets.h"
#include "totals.h"

#define LOAD_TRIES 50
#define LOAD_TRY_US 10000

/* Makes libbpf load only the entry of the packet program for this kind of filter. */
static void choose_entry(const struct xdp_dedup *skel, const struct dedup_config *cfg)
{
	struct bpf_program *const entries[DEDUP_ENTRIES] = {
		[DEDUP_ENTRY_STREAMS] = skel->progs.dedup_streams,
		[DEDUP_ENTRY_NUMBERED] = skel->progs.dedup_numbered,
		[DEDUP_ENTRY_GSP] = skel->progs.xdp_dedup,
		[DEDUP_ENTRY_GSP_DELIVER] = skel->progs.dedup_deliver,
	};

	for (uint32_t i = 0; i < DEDUP_ENTRIES; i++)
		bpf_program__set_autoload(entries[i], i == cfg->policy.entry);
}

/* Returns the object's map for this pin. */
static struct bpf_map *pinned_map_of(const struct xdp_dedup *skel, int pin)
{
	struct bpf_map *const maps[PINS_CNT] = {
		[PIN_FILTER] = skel->maps.filter,
		[PIN_STATS] = skel->maps.stats,
		[PIN_STATE] = skel->maps.data_state,
		[PIN_CONFIG] = skel->maps.rodata_config,
		[PIN_RECORD] = skel->maps.data_record,
		[PIN_WANTED] = skel->maps.wanted,
		[PIN_TIMER] = skel->maps.timer,
		[PIN_SAMPLES] = skel->maps.samples,
		[PIN_OUTER_STATE] = skel->maps.outer_state,
		[PIN_OUTER_FILTER] = skel->maps.outer_filter,
		[PIN_PREDECESSOR_CONFIG] = skel->maps.rodata_predecessor,
		[PIN_ACCOUNTS] = skel->maps.accounts,
		[PIN_XSKS] = skel->maps.xsks,
		[PIN_QUEUES] = skel->maps.queues,
		[PIN_SOCKETS] = skel->maps.sockets,
		[PIN_IN_FLIGHT] = skel->maps.in_flight,
	};

	return maps[pin];
}

/* Makes libbpf use the pinned map, if there is one. Others are pinned later by object_pin(): libbpf
 * would try to make the directory for each of them.
 */
static int use_pin(struct bpf_map *map, const char *path)
{
	int exists = path_exists(path);

	return exists > 0 ? bpf_map__set_pin_path(map, path) : exists;
}

/* Does a filter of this configuration have this map? */
static bool is_map_made(enum pin pin, const struct dedup_config *cfg)
{
	if (pin == PIN_ACCOUNTS)
		return dedup_accounts_cnt(&cfg->sources);
	return !pin_is_delivery(pin) || cfg->policy.deliver;
}

static int prepare_maps(const struct xdp_dedup *skel, const char *name, const struct dedup_config *cfg)
{
	int err = 0;

	for (int i = 0; i < PINS_CNT && !err; i++) {
		struct bpf_map *map = pinned_map_of(skel, i);
		bool is_made = is_map_made(i, cfg);

		err = bpf_map__set_autocreate(map, is_made);
		if (!err && is_made && name)
			err = use_pin(map, PIN_PATH(name, PINS[i]));
	}
	return err;
}

int object_pin_at(int fd, const char *directory, const char *pin)
{
	const char *path = PIN_PATH(directory, pin);

	return bpf_obj_pin(fd, path) ? diag_err(-errno, "cannot pin %s: %s", path, strerror(errno))
				     : 0;
}

int object_open_pin(const char *directory, const char *pin)
{
	const char *path = PIN_PATH(directory, pin);
	int fd = bpf_obj_get(path);

	return fd < 0 ? diag_err(-errno, "cannot open %s: %s", path, strerror(errno)) : fd;
}

/* Pins the maps that loading has made. If that fails, some may be pinned. */
static int pin_made(const struct xdp_dedup *skel, const char *name)
{
	int err = 0;

	for (int i = 0; i < PINS_CNT && name && !err; i++) {
		const struct bpf_map *map = pinned_map_of(skel, i);

		if (bpf_map__autocreate(map) && !bpf_map__pin_path(map))
			err = object_pin_at(bpf_map__fd(map), name, PINS[i]);
	}
	return err;
}

/* Registers a section handler that always sets the expected attach type, as updates of a link need
 * it. libbpf's own handler omits it if its probe fails, for any reason.
 */
static int expect_link(void)
{
	static int handler = -1;

	if (handler < 0)
		handler = libbpf_register_prog_handler("xdp", BPF_PROG_TYPE_XDP, BPF_XDP, NULL);
	return handler < 0 ? diag_err(handler, "cannot prepare the program: %s", strerror(-handler))
			   : 0;
}

int object_open(const char *name, const struct dedup_config *cfg, struct xdp_dedup **out)
{
	struct xdp_dedup *skel;
	int err = expect_link();

	if (err)
		return err;
	skel = xdp_dedup__open();
	if (!skel)
		return diag_err(-errno, "cannot open the BPF object: %s", strerror(errno));
	err = bpf_map__set_max_entries(skel->maps.filter, dedup_blocks(cfg))
		      ?: bpf_map__set_max_entries(skel->maps.stats, totals_rows(cfg));
	if (!err && dedup_accounts_cnt(&cfg->sources))
		err = bpf_map__set_max_entries(skel->maps.accounts,
					       dedup_accounts_cnt(&cfg->sources));
	if (!err && cfg->memory.known_cnt)
		err = bpf_map__set_max_entries(skel->maps.known_ids,
					       cfg->memory.known_cnt *
						       dedup_known_lines(cfg->policy.id_bytes));
	if (!err)
		err = prepare_maps(skel, name, cfg);
	choose_entry(skel, cfg);
	bpf_program__set_autoload(skel->progs.hand_replay, cfg->memory.replay);
	bpf_program__set_autoload(skel->progs.hand_adopt, false);
	bpf_program__set_autoload(skel->progs.hand_resume, false);
	/* A section name "xdp.frags" would take effect only when libbpf loads the program: too late
	 * for libxdp to give its dispatcher frags.
	 */
	if (!err)
		err = bpf_program__set_flags(object_packet_program(skel), BPF_F_XDP_HAS_FRAGS);
	if (err) {
		xdp_dedup__destroy(skel);
		return diag_err(err, "cannot prepare the BPF object: %s", strerror(-err));
	}
	*out = skel;
	return 0;
}

/* choose_entry() has turned off autoload for all other entries. */
struct bpf_program *object_packet_program(const struct xdp_dedup *skel)
{
	return bpf_program__autoload(skel->progs.xdp_dedup)	  ? skel->progs.xdp_dedup
	       : bpf_program__autoload(skel->progs.dedup_deliver) ? skel->progs.dedup_deliver
	       : bpf_program__autoload(skel->progs.dedup_streams) ? skel->progs.dedup_streams
								  : skel->progs.dedup_numbered;
}

static int run_once(const struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);

	return err ? -errno : (int)opts.retval;
}

/* Tries again if memory is short: the kernel allocates a timer without waiting for memory. */
int object_run(const struct bpf_program *prog)
{
	int err = run_once(prog);

	for (int i = 0; i < LOAD_TRIES && err == -ENOMEM; i++) {
		usleep(LOAD_TRY_US);
		err = run_once(prog);
	}
	return err;
}

/* If libbpf's probe for this feature fails, for any reason, it makes maps that cannot be mapped. */
static int check_mapped(const struct xdp_dedup *skel)
{
	if (!skel->data_state || !skel->data_record || !skel->rodata_config ||
	    !skel->rodata_predecessor)
		return diag_err(
			-EAGAIN,
			"the new filter could not be opened: libbpf found that the kernel cannot map maps" ADVICE
			"try again");
	return 0;
}

int object_load_filter(struct xdp_dedup *skel, const char *name, const struct dedup_config *cfg)
{
	struct dedup_config *config = (struct dedup_config *)&skel->rodata_config->config;
	bool has_memory = bpf_map__pin_path(skel->maps.filter);
	int err;

	*config = *cfg;
	/* No frame matches before own_macs_set(). */
	skel->data_record->record.own_mac = DEDUP_MAC_NONE;
	err = xdp_dedup__load(skel);
	if (err)
		return kernel_explain(err, has_memory ? 0 : plan_bytes(cfg));
	return check_mapped(skel) ?: pin_made(skel, name);
}

int object_start_hand(const struct bpf_program *hand)
{
	int err = object_run(hand);

	return err ? diag_err(err, "cannot start the filter's clock: %s", strerror(-err)) : 0;
}

int object_draw_secrets(struct dedup_config *cfg)
{
	int err = secrets_set(NULL, cfg);

	return err ? diag_err(err, "the kernel's random source gave no secret") : 0;
}
