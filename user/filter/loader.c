// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "loader.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpffs.h"
#include "dispatch.h"
#include "handover.h"
#include "image_file.h"
#include "kernel.h"
#include "live.h"
#include "plan.h"
#include "predecessor.h"
#include "recent.h"
#include "say.h"
#include "secrets.h"
#include "stream_ids.h"
#include "xdp_dedup.skel.h"

/* Pins are under this name while a filter is made or removed. No filter can have it: so nobody
 * opens an incomplete one, and what a killed process has left is recognized and removed.
 */
#define HALF_MADE "+"

/* A directory that is only locked. It is not PIN_ROOT itself, which others may be allowed to read:
 * whoever can open a file can lock it, and so keep everybody from changing filters.
 */
#define LOCK PIN_ROOT "-lock"

/* Opens the BPF object with a pin path for every map: at load, maps whose pins exist are used,
 * others are made and pinned. With name NULL nothing is pinned.
 */
static int open_object(const char *name, const struct dedup_config *cfg, struct xdp_dedup **out)
{
	struct xdp_dedup *skel = xdp_dedup__open();
	char path[PATH_MAX];
	int err;

	if (!skel)
		return say_err(-errno, "cannot open the BPF object: %s", strerror(errno));
	struct bpf_map *maps[PINS_CNT] = {
		skel->maps.filter,
		skel->maps.stats,
		skel->maps.data_state,
		skel->maps.rodata_config,
		skel->maps.wanted,
		skel->maps.timer,
		skel->maps.samples,
		skel->maps.handled,
		skel->maps.before_state,
		skel->maps.before_filter,
		skel->maps.rodata_predecessor,
	};

	err = bpf_map__set_max_entries(skel->maps.filter, cfg->blocks);
	if (!err)
		err = bpf_map__set_max_entries(skel->maps.stats,
					       streams_cnt(cfg) * (1 + cfg->earlier_stats));
	if (!err && cfg->recent)
		err = bpf_map__set_max_entries(skel->maps.recent,
					       cfg->recent * dedup_recent_lines(cfg->id_bytes));
	for (int i = 0; i < PINS_CNT && name && !err; i++) {
		pin_path(path, name, PINS[i]);
		err = bpf_map__set_pin_path(maps[i], path);
	}
	bpf_program__set_autoload(
		cfg->streams_cnt ? skel->progs.xdp_dedup : skel->progs.dedup_streams, false);
	bpf_program__set_autoload(skel->progs.hand_replay, cfg->replay);
	bpf_program__set_autoload(skel->progs.hand_adopt, false);
	bpf_program__set_autoload(skel->progs.hand_resume, false);
	if (!err && !kernel_has_frags())
		err = bpf_program__set_flags(loader_packet_program(skel), 0);
	if (err) {
		xdp_dedup__destroy(skel);
		return say_err(err, "cannot prepare the BPF object: %s", strerror(-err));
	}
	*out = skel;
	return 0;
}

struct bpf_program *loader_packet_program(const struct xdp_dedup *skel)
{
	return bpf_program__autoload(skel->progs.xdp_dedup) ? skel->progs.xdp_dedup
							    : skel->progs.dedup_streams;
}

static int run_syscall(const struct bpf_program *prog)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = bpf_prog_test_run_opts(bpf_program__fd(prog), &opts);

	return err ? -errno : (int)opts.retval;
}

static int remove_pins(const char *name)
{
	char path[PATH_MAX];
	int err;

	pin_path(path, name, NULL);
	err = bpffs_remove_dir(path);
	return err ? say_err(err, "cannot remove %s: %s", path, strerror(-err)) : 0;
}

static int explain_dir(const char *path, int err)
{
	if (err == -EPERM)
		return say_err(err,
			       "%s could be changed by others than root: see who made it, then "
			       "remove it, or chown root and chmod 700",
			       path);
	return say_err(err, "cannot use %s: %s", path, strerror(-err));
}

/* Makes the directory unless it is there, and checks it: filter_check_dir(). */
static int make_dir(const char *path, bool is_private)
{
	int err;

	if (mkdir(path, 0700) && errno != EEXIST)
		return say_err(-errno, "cannot make %s: %s", path, strerror(errno));
	err = filter_check_dir(path, is_private);
	return err ? explain_dir(path, err) : 0;
}

int loader_begin(bool verbose)
{
	char path[PATH_MAX];
	int fd, err = kernel_ready(verbose, true);

	if (!err)
		err = make_dir(PIN_ROOT, false);
	if (!err)
		err = make_dir(LOCK, true);
	if (err)
		return err;
	fd = open(LOCK, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return say_err(-errno, "cannot open %s: %s", LOCK, strerror(errno));
	err = kernel_lock(fd);
	pin_path(path, HALF_MADE, NULL);
	if (!err && !access(path, F_OK))
		err = remove_pins(HALF_MADE);
	if (!err)
		handover_settle();
	if (!err)
		dispatch_sweep();
	return err;
}

int loader_look(void)
{
	static const char *const DIRS[] = { PIN_ROOT, LOCK };
	int fd, err;

	for (int i = 0; i < 2; i++) {
		err = access(DIRS[i], F_OK) ? -errno : filter_check_dir(DIRS[i], i);
		if (err == -ENOENT)
			return 0; /* it is made with the first filter */
		if (err)
			return explain_dir(DIRS[i], err);
	}
	fd = open(LOCK, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return explain_dir(LOCK, -errno);
	if (flock(fd, LOCK_SH | LOCK_NB))
		say_note("another xdp-dedup is changing filters: load waits for it, 10 s at most");
	close(fd);
	return 0;
}

static int rename_pins(const char *from, const char *to)
{
	char old[PATH_MAX], new[PATH_MAX];

	pin_path(old, from, NULL);
	pin_path(new, to, NULL);
	return rename(old, new)
		       ? say_err(-errno, "cannot rename %s to %s: %s", old, new, strerror(errno))
		       : 0;
}

static void prefixed(char directory[PATH_MAX], const char *prefix, const char *name)
{
	snprintf(directory, PATH_MAX, "%s%s", prefix, name);
}

/* Removes this directory: to others it is gone at once. */
static int remove_whole(const char *directory)
{
	int err = rename_pins(directory, HALF_MADE);

	return err ? err : remove_pins(HALF_MADE);
}

int loader_remove_prefixed(const char *prefix, const char *name)
{
	char path[PATH_MAX], directory[PATH_MAX];

	prefixed(directory, prefix, name);
	pin_path(path, directory, NULL);
	return access(path, F_OK) ? 0 : remove_whole(directory);
}

int loader_remove(const char *name)
{
	int err = remove_whole(name);

	if (!err)
		err = loader_remove_prefixed(BESIDE, name);
	return err ? err : loader_remove_prefixed(BEFORE, name);
}

/* By the names of its maps a filter is told from other programs, and found again; and they must be
 * mapped. libbpf gives no names, and makes maps that cannot be mapped, if its probes for these
 * failed, for whatever reason. prog: any that is loaded, and uses both maps.
 */
static int check_loaded(const struct xdp_dedup *skel, const struct bpf_program *prog)
{
	struct identity id = { 0 };
	int err = live_maps_of(bpf_program__fd(prog), &id);

	if (err)
		return say_err(err, "cannot look at the new filter: %s", strerror(-err));
	if (!id.state_id || !id.config_id)
		return say_err(-EAGAIN,
			       "the new filter is not told by its name, so it could not be "
			       "unloaded: libbpf found that the kernel keeps no names; try again");
	if (!skel->data_state || !skel->rodata_config || !skel->rodata_predecessor)
		return say_err(-EAGAIN,
			       "the new filter could not be opened: libbpf found that the kernel "
			       "cannot map maps; try again");
	return 0;
}

/* Loads an object of open_object() as a new filter, whose secrets are in *cfg. */
static int load_filter(struct xdp_dedup *skel, const struct dedup_config *cfg)
{
	struct dedup_config *config = (struct dedup_config *)&skel->rodata_config->config;
	bool resumes = bpf_program__autoload(skel->progs.hand_resume);
	int err;

	*config = *cfg;
	/* Until own_macs_set(). */
	skel->data_state->state.own_mac = DEDUP_MAC_NONE;
	config->frags = kernel_has_frags();
	err = xdp_dedup__load(skel);
	if (err)
		return kernel_explain(err, plan_bytes(cfg));
	return check_loaded(skel, resumes ? skel->progs.hand_resume : skel->progs.hand_start);
}

static int start_hand(struct xdp_dedup *skel)
{
	int err = run_syscall(skel->progs.hand_start);

	return err ? say_err(err, "cannot start the filter's clock: %s", strerror(-err)) : 0;
}

/* Its secrets are drawn, but those of a replay are there, for both of its engines. */
static int start_filter(struct xdp_dedup *skel, const struct dedup_config *cfg)
{
	struct dedup_config config = *cfg;
	int err = config.replay ? 0 : secrets_draw(&config);

	if (err)
		return say_err(err, "the kernel's random source gave no secret");
	err = load_filter(skel, &config);
	return err ? err : start_hand(skel);
}

/* Makes and pins the maps and starts the hand, under the name HALF_MADE. */
static int make_filter(const struct dedup_config *cfg)
{
	struct xdp_dedup *skel = NULL;
	int err = open_object(HALF_MADE, cfg, &skel);

	if (err)
		return err;
	/* Without the packet program, which is loaded when it is attached (loader_program_open). */
	bpf_program__set_autoload(loader_packet_program(skel), false);
	err = start_filter(skel, cfg);
	xdp_dedup__destroy(skel);
	return err;
}

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
	return err ? kernel_explain(err, 0) : check_loaded(skel, skel->progs.hand_adopt);
}

/* Makes the program's own maps, of its configuration and its counters, and of the predecessor that
 * it gets, unless p is NULL; all others are there.
 */
static int make_program(const char *name, const struct dedup_config *cfg, const struct predecessor *p)
{
	struct xdp_dedup *skel = NULL;
	int err = 0;

	for (int pin = 0; pin < PINS_CNT && !err; pin++)
		if (!is_programs_own(pin, p))
			err = share_pin(name, pin);
	if (!err)
		err = open_object(HALF_MADE, cfg, &skel);
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
	err = load_filter(skel, cfg);
	if (!err)
		err = put_predecessor(skel, p);
	return err ? err : start_hand(skel);
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
		err = open_object(HALF_MADE, cfg, &skel);
	if (!err)
		err = start_successor(skel, cfg, &p);
	if (skel)
		xdp_dedup__destroy(skel);
	close_predecessor(&p);
	return err;
}

int loader_private_open(const struct dedup_config *cfg, struct filter *out, struct xdp_dedup **prog)
{
	struct xdp_dedup *skel = NULL;
	struct filter f = { .stats_fd = -1, .wanted_fd = -1 };
	int err = open_object(NULL, cfg, &skel);

	if (err)
		return err;
	err = start_filter(skel, cfg);
	if (err)
		goto fail;
	f.blocks = mmap(NULL, cfg->blocks * sizeof(*f.blocks), PROT_READ | PROT_WRITE, MAP_SHARED,
			bpf_map__fd(skel->maps.filter), 0);
	if (f.blocks == MAP_FAILED) {
		err = say_err(-errno, "cannot map the filter: %s", strerror(errno));
		goto fail;
	}
	f.config = (const struct dedup_config *)&skel->rodata_config->config;
	f.state = &skel->data_state->state;
	f.stats_fd = bpf_map__fd(skel->maps.stats);
	f.counters_bytes = sizeof(struct dedup_counters);
	f.wanted_fd = bpf_map__fd(skel->maps.wanted);
	*out = f;
	*prog = skel;
	return 0;
fail:
	xdp_dedup__destroy(skel);
	return err;
}

void loader_private_close(struct filter *f, struct xdp_dedup *prog)
{
	munmap(f->blocks, f->config->blocks * sizeof(*f->blocks));
	*f = (struct filter){ .stats_fd = -1, .wanted_fd = -1 };
	xdp_dedup__destroy(prog);
}

int loader_private_prog_fd(const struct xdp_dedup *prog)
{
	return bpf_program__fd(loader_packet_program(prog));
}

int loader_private_hand_fd(const struct xdp_dedup *prog)
{
	return bpf_program__fd(prog->progs.hand_replay);
}

/* Makes the directory HALF_MADE, empty. */
static int begin_half(void)
{
	char path[PATH_MAX];

	pin_path(path, HALF_MADE, NULL);
	return mkdir(path, 0700) ? say_err(-errno, "cannot make %s: %s", path, strerror(errno)) : 0;
}

/* Gives HALF_MADE, unless err, the name `to`; else removes it. Returns err, or why that failed. */
static int end_half(int err, const char *to)
{
	if (!err)
		err = rename_pins(HALF_MADE, to);
	if (err)
		remove_pins(HALF_MADE);
	return err;
}

/* Makes NAME, whose predecessor is ~NAME. */
static int create_after(const char *name, const struct dedup_config *cfg)
{
	struct filter before;
	int err = filter_open_prefixed(BEFORE, name, &before);

	if (err)
		return loader_explain(name, err);
	err = begin_half();
	if (!err)
		err = end_half(make_successor(cfg, &before), name);
	filter_close(&before);
	return err;
}

/* Tells an image's memory of the ids that are in the filter which is to get it. From the first step
 * on with it that filter's hand tells of those that come after these.
 */
static int tell_ids(const struct filter *beside, const struct image_moment *now,
		    const struct image *image, struct dedup_state *st, struct dedup_block *blocks)
{
	static struct image_head h;
	int err = image_take(beside, now, &h);

	if (err)
		return say_err(err, "the window's clock of %s has stopped; unload it", beside->name);
	image_finish(beside, &h);
	image_tell(&image->head, now->hand_ns, image_ids(&h), beside->config, st, blocks);
	WRITE_ONCE(beside->state->told, h.learned);
	return 0;
}

/* Fills the filter's memory, and its state, and starts its hand. 1: no id is left of it. */
static int resume_filter(struct xdp_dedup *skel, const struct image *image,
			 const struct filter *beside)
{
	size_t size = image->head.config.blocks * sizeof(struct dedup_block);
	struct dedup_state *st = &skel->data_state->state;
	struct image_moment now;
	struct dedup_block *blocks;
	uint64_t elapsed_ns;
	int err;

	blocks = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
		      bpf_map__fd(skel->maps.filter), 0);
	if (blocks == MAP_FAILED)
		return say_err(-errno, "cannot map the filter: %s", strerror(errno));
	err = image_read(image, blocks);
	if (!err && (err = image_moment_now(&now)))
		say_err(err, "cannot tell which boot this is: %s", strerror(-err));
	if (!err) {
		elapsed_ns = image_elapsed(&image->head.moment, &now);
		image_state(&image->head, now.hand_ns, elapsed_ns, st);
		image_age(&image->head, now.hand_ns, elapsed_ns, st, blocks);
		err = beside ? tell_ids(beside, &now, image, st, blocks) : 0;
	}
	if (!err)
		err = dedup_is_forgotten(st);
	munmap(blocks, size);
	if (err)
		return err;
	err = run_syscall(skel->progs.hand_resume);
	return err ? say_err(err, "cannot start the filter's clock: %s", strerror(-err)) : 0;
}

/* Makes the filter of an image: no packet program ever runs on it. 1: no id is left of it. */
static int make_restored(const struct image *image, const struct filter *beside)
{
	struct dedup_config cfg = image->head.config;
	struct xdp_dedup *skel = NULL;
	int err;

	plan_move_here(&cfg);
	err = open_object(HALF_MADE, &cfg, &skel);
	if (err)
		return err;
	bpf_program__set_autoload(loader_packet_program(skel), false);
	bpf_program__set_autoload(skel->progs.hand_start, false);
	bpf_program__set_autoload(skel->progs.hand_resume, true);
	err = load_filter(skel, &cfg);
	if (!err)
		err = resume_filter(skel, image, beside);
	xdp_dedup__destroy(skel);
	return err;
}

int loader_create(const char *name, const struct dedup_config *cfg)
{
	char path[PATH_MAX];
	int err;

	pin_path(path, name, NULL);
	if (!access(path, F_OK))
		return say_err(-EEXIST, "there is a filter %s already", name);
	if (cfg->has_predecessor)
		return create_after(name, cfg);
	err = begin_half();
	return err ? err : end_half(make_filter(cfg), name);
}

int loader_restore(const char *name, const struct image *image, const struct filter *beside)
{
	char before[PATH_MAX];
	int result = begin_half(), err;

	if (result)
		return result;
	result = make_restored(image, beside);
	prefixed(before, BEFORE, name);
	err = end_half(result < 0 ? result : result ? -ESTALE : 0, before);
	return result > 0 ? result : err;
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
	err = begin_half();
	if (err)
		return err;
	if (before)
		err = open_predecessor(before, &p);
	if (!err)
		err = make_program(name, cfg, before ? &p : NULL);
	close_predecessor(&p);
	prefixed(beside, BESIDE, name);
	return end_half(err, beside);
}

int loader_next_filter(const char *name, const struct dedup_config *cfg, const struct filter *before)
{
	char beside[PATH_MAX];
	int err = begin_half();

	prefixed(beside, BESIDE, name);
	return err ? err : end_half(make_successor(cfg, before), beside);
}

int loader_swap(const char *name)
{
	char beside[PATH_MAX], old[PATH_MAX], new[PATH_MAX];

	prefixed(beside, BESIDE, name);
	pin_path(old, name, NULL);
	pin_path(new, beside, NULL);
	return renameat2(AT_FDCWD, new, AT_FDCWD, old, RENAME_EXCHANGE)
		       ? say_err(-errno, "cannot exchange %s for %s: %s", old, new, strerror(errno))
		       : 0;
}

int loader_keep_predecessor(const char *name)
{
	char beside[PATH_MAX], before[PATH_MAX];

	prefixed(beside, BESIDE, name);
	prefixed(before, BEFORE, name);
	return rename_pins(beside, before);
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
	else if ((err = run_syscall(skel->progs.hand_adopt)))
		say_err(err, "cannot hand the filter's clock over: %s", strerror(-err));
	xdp_dedup__destroy(skel);
	return err;
}

/* Opens the skeleton for the filter that is open, whose pins are in this directory. */
static int open_program(const char *directory, struct filter *f, struct xdp_dedup **out)
{
	int err = open_object(directory, f->config, out);

	filter_close(f);
	if (!err)
		bpf_program__set_autoload((*out)->progs.hand_start, false);
	return err;
}

int loader_program_open_beside(const char *name, struct xdp_dedup **out)
{
	char beside[PATH_MAX];
	struct filter f;
	int err = filter_open_prefixed(BESIDE, name, &f);

	prefixed(beside, BESIDE, name);
	return err ? loader_explain(name, err) : open_program(beside, &f, out);
}

int loader_program_open(const char *name, struct xdp_dedup **out)
{
	struct filter f;
	int err = loader_open_or_say(name, &f);

	return err ? err : open_program(name, &f, out);
}

void loader_program_close(struct xdp_dedup *skel)
{
	xdp_dedup__destroy(skel);
}

int loader_pin_program(const char *name, int prog_fd)
{
	char path[PATH_MAX];

	pin_path(path, name, PIN_PROG);
	if (bpf_obj_pin(prog_fd, path))
		return say_err(-errno, "cannot pin the program at %s: %s", path, strerror(errno));
	return 0;
}

/* Why a filter's pins cannot be read. */
static int explain_pins(const char *name)
{
	int format = filter_format(name);

	if (format > DEDUP_FORMAT)
		return say_err(
			-EPROTO,
			"%s was loaded by a newer xdp-dedup (format %d; this one knows %d): use "
			"that one, or remove it by xdp-dedup unload --name %s",
			name, format, DEDUP_FORMAT, name);
	if (format > 0 && format < DEDUP_FORMAT_OLDEST)
		return say_err(-EPROTO,
			       "%s was loaded by an xdp-dedup too old for this one to take over "
			       "(format %d; %d at least): xdp-dedup unload --name %s, and load it",
			       name, format, DEDUP_FORMAT_OLDEST, name);
	return say_err(-EPROTO,
		       "the pins of %s are incomplete or of another version; xdp-dedup unload "
		       "--name %s removes them",
		       name, name);
}

int loader_explain(const char *name, int err)
{
	if (err == -ENOENT || err == -ENODEV)
		return say_err(err, "there is no filter %s; xdp-dedup status lists those there are",
			       name);
	if (err == -EPERM && filter_check_dir(PIN_ROOT, false) == -EPERM)
		return explain_dir(PIN_ROOT, err);
	if (err == -EACCES || err == -EPERM)
		return say_err(err, "not permitted to open the filter %s; run as root", name);
	if (err == -EPROTO)
		return explain_pins(name);
	return say_err(err, "cannot open the filter %s: %s", name, strerror(-err));
}

int loader_open_or_say(const char *name, struct filter *out)
{
	int err = filter_open(name, out);

	return err ? loader_explain(name, err) : 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void loader_free_names(char **names)
{
	for (char **n = names; n && *n; n++)
		free(*n);
	free(names);
}

/* Adds a copy of the name to the list. */
static int add_name(char ***names, size_t *cnt, const char *name)
{
	char **more = realloc(*names, (*cnt + 2) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	*names = more;
	more[*cnt] = strdup(name);
	if (!more[*cnt])
		return -ENOMEM;
	more[++*cnt] = NULL;
	return 0;
}

int loader_names(char ***out)
{
	char **names = calloc(1, sizeof(*names));
	struct dirent *entry;
	size_t cnt = 0;
	int err = 0;
	DIR *dir;

	*out = NULL;
	if (!names)
		return say_err(-ENOMEM, "no memory");
	dir = opendir(PIN_ROOT);
	if (!dir && errno != ENOENT)
		err = -errno;
	while (dir && !err) {
		errno = 0;
		entry = readdir(dir);
		err = -errno;
		if (!entry)
			break;
		if (filter_name_ok(entry->d_name))
			err = add_name(&names, &cnt, entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (err) {
		loader_free_names(names);
		return say_err(err, "cannot list %s: %s%s", PIN_ROOT, strerror(-err),
			       err == -EACCES ? "; run as root" : "");
	}
	qsort(names, cnt, sizeof(*names), compare_names);
	*out = names;
	return 0;
}
