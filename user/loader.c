// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "loader.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "kernel.h"
#include "say.h"
#include "xdp_dedup.skel.h"

/* The maps of a filter, by the names of their pins. */
enum pin { PIN_FILTER, PIN_STATS, PIN_STATE, PIN_CONFIG, PIN_TIMER, PINS_CNT };

#define PIN_PROG "prog"

static const char *const PINS[PINS_CNT] = { "filter", "stats", "state", "config", "timer" };

/* Filters are made and removed under this name, which is no filter's: nobody sees a
 * part of one, and what a killed process left is known for what it is.
 */
#define HALF_MADE "+"

static void pin_path(char path[PATH_MAX], const char *name, const char *pin)
{
	snprintf(path, PATH_MAX, "%s/%s%s%s", PIN_ROOT, name, pin ? "/" : "", pin ? pin : "");
}

bool loader_name_ok(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '-' && name[i] != '_')
			return false;
	return len >= 1 && len <= NAME_MAX_LEN;
}

/* Opens the object with every map at its pin: pins that exist are used, others made. */
static int open_object(const char *name, uint32_t blocks, struct xdp_dedup **out)
{
	struct xdp_dedup *skel = xdp_dedup__open();
	char path[PATH_MAX];
	int err;

	if (!skel)
		return say_err(-errno, "cannot open the BPF object: %s", strerror(errno));
	struct bpf_map *maps[PINS_CNT] = { skel->maps.filter, skel->maps.stats, skel->maps.data_state,
					   skel->maps.rodata_config, skel->maps.timer };

	err = bpf_map__set_max_entries(skel->maps.filter, blocks);
	for (int i = 0; i < PINS_CNT && !err; i++) {
		pin_path(path, name, PINS[i]);
		err = bpf_map__set_pin_path(maps[i], path);
	}
	if (!err && !kernel_has_frags())
		err = bpf_program__set_flags(skel->progs.xdp_dedup, 0);
	if (err) {
		xdp_dedup__destroy(skel);
		return say_err(err, "cannot prepare the BPF object: %s", strerror(-err));
	}
	*out = skel;
	return 0;
}

static int run_hand_start(struct xdp_dedup *skel)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	int err = bpf_prog_test_run_opts(bpf_program__fd(skel->progs.hand_start), &opts);

	return err ? -errno : (int)opts.retval;
}

static int draw_secret(struct dedup_config *cfg)
{
	ssize_t n = getrandom(cfg->key, sizeof(cfg->key), 0);

	return n == sizeof(cfg->key) ? 0 : -EIO;
}

static int remove_pins(const char *name)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir;
	int err = 0;

	pin_path(path, name, NULL);
	dir = opendir(path);
	if (!dir)
		return say_err(-errno, "cannot open %s: %s", path, strerror(errno));
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.' && unlinkat(dirfd(dir), entry->d_name, 0))
			err = -errno;
	closedir(dir);
	if (rmdir(path))
		err = -errno;
	return err ? say_err(err, "cannot remove %s: %s", path, strerror(-err)) : 0;
}

int loader_begin(bool verbose)
{
	int err = kernel_ready(verbose);
	int fd;

	if (err)
		return err;
	if (mkdir(PIN_ROOT, 0700) && errno != EEXIST)
		return say_err(-errno, "cannot make %s: %s", PIN_ROOT, strerror(errno));
	fd = open(PIN_ROOT, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return say_err(-errno, "cannot open %s: %s", PIN_ROOT, strerror(errno));
	err = kernel_lock(fd);
	if (!err && !faccessat(fd, HALF_MADE, F_OK, 0))
		err = remove_pins(HALF_MADE);
	return err;
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

int loader_remove(const char *name)
{
	int err = rename_pins(name, HALF_MADE);

	return err ? err : remove_pins(HALF_MADE);
}

/* Makes and pins the maps and starts the hand, under a name of our own. */
static int make_filter(const struct dedup_config *cfg)
{
	struct xdp_dedup *skel = NULL;
	struct dedup_config *config;
	int err = open_object(HALF_MADE, cfg->blocks, &skel);

	if (err)
		return err;
	config = (struct dedup_config *)&skel->rodata_config->config;
	*config = *cfg;
	config->frags = kernel_has_frags();
	err = draw_secret(config);
	if (err) {
		say_err(err, "the kernel's random source gave no secret");
		goto out;
	}
	/* Only the hand for now: how the packet program is loaded, attach.c says. */
	bpf_program__set_autoload(skel->progs.xdp_dedup, false);
	err = bpf_object__load(skel->obj);
	if (err) {
		kernel_explain(err, (uint64_t)cfg->blocks * sizeof(struct dedup_block));
		goto out;
	}
	err = run_hand_start(skel);
	if (err)
		say_err(err, "cannot start the filter's clock: %s", strerror(-err));
out:
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
	pin_path(path, HALF_MADE, NULL);
	if (mkdir(path, 0700))
		return say_err(-errno, "cannot make %s: %s", path, strerror(errno));
	err = make_filter(cfg);
	if (!err)
		err = rename_pins(HALF_MADE, name);
	if (err)
		remove_pins(HALF_MADE);
	return err;
}

int loader_program_open(const char *name, struct xdp_dedup **out)
{
	struct filter f;
	int err = filter_open_or_say(name, &f);

	if (err)
		return err;
	err = open_object(name, f.config->blocks, out);
	filter_close(&f);
	if (!err)
		bpf_program__set_autoload((*out)->progs.hand_start, false);
	return err;
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

static int open_pin(const char *name, enum pin pin)
{
	char path[PATH_MAX];

	pin_path(path, name, PINS[pin]);
	return bpf_obj_get(path);
}

/* Maps the first `size` bytes of a pinned map's content, all there must be at least.
 * *id, unless NULL, is the kernel's id of the map. NULL if that does not work.
 */
static void *map_pin(const char *name, enum pin pin, int prot, size_t size, uint32_t *id)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);
	void *mem = MAP_FAILED;
	int fd = open_pin(name, pin);

	if (fd < 0)
		return NULL;
	if (!bpf_obj_get_info_by_fd(fd, &info, &len) &&
	    (uint64_t)info.value_size * info.max_entries >= size)
		mem = mmap(NULL, size, prot, MAP_SHARED, fd, 0);
	close(fd);
	if (id)
		*id = info.id;
	return mem == MAP_FAILED ? NULL : mem;
}

void loader_identity(const char *name, uint32_t *state_id, uint32_t *prog_id)
{
	struct bpf_map_info map = { 0 };
	struct bpf_prog_info prog = { 0 };
	char path[PATH_MAX];
	__u32 len = sizeof(map);
	int fd = open_pin(name, PIN_STATE);

	if (fd >= 0)
		bpf_obj_get_info_by_fd(fd, &map, &len);
	close(fd);
	*state_id = map.id;

	pin_path(path, name, PIN_PROG);
	fd = bpf_obj_get(path);
	len = sizeof(prog);
	if (fd >= 0)
		bpf_obj_get_info_by_fd(fd, &prog, &len);
	close(fd);
	*prog_id = prog.id;
}

static size_t blocks_bytes(const struct filter *f)
{
	return (size_t)f->config->blocks * sizeof(struct dedup_block);
}

void filter_close(struct filter *f)
{
	if (f->config && f->blocks)
		munmap(f->blocks, blocks_bytes(f));
	if (f->state)
		munmap(f->state, sizeof(*f->state));
	if (f->config)
		munmap((void *)f->config, sizeof(*f->config));
	if (f->stats_fd >= 0)
		close(f->stats_fd);
	*f = (struct filter){ .stats_fd = -1 };
}

/* A larger value than ours would be read past the end of what is there for it. */
static bool is_stats(int fd)
{
	struct bpf_map_info info = { 0 };
	__u32 len = sizeof(info);

	return fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len) &&
	       info.type == BPF_MAP_TYPE_PERCPU_ARRAY &&
	       info.value_size == sizeof(struct dedup_counters);
}

/* *dir is the inode of the directory that was looked into. */
static int open_once(const char *name, struct filter *out, ino_t *dir)
{
	struct filter f = { .stats_fd = -1 };
	char path[PATH_MAX];
	struct stat st;

	pin_path(path, name, NULL);
	errno = 0;
	if (!loader_name_ok(name) || stat(path, &st))
		return errno == EACCES ? -EACCES : -ENOENT;
	*dir = st.st_ino;
	snprintf(f.name, sizeof(f.name), "%s", name);

	f.config = map_pin(name, PIN_CONFIG, PROT_READ, sizeof(*f.config), NULL);
	if (!f.config || f.config->format != DEDUP_FORMAT || !f.config->blocks)
		goto fail;
	f.state = map_pin(name, PIN_STATE, PROT_READ | PROT_WRITE, sizeof(*f.state), &f.state_id);
	f.blocks = map_pin(name, PIN_FILTER, PROT_READ | PROT_WRITE, blocks_bytes(&f), NULL);
	f.stats_fd = open_pin(name, PIN_STATS);
	if (!f.state || !f.blocks || !is_stats(f.stats_fd))
		goto fail;
	*out = f;
	return 0;
fail:
	filter_close(&f);
	return -EPROTO;
}

int filter_open(const char *name, struct filter *out)
{
	char path[PATH_MAX];
	struct stat st;
	ino_t dir = 0;
	int err;

	pin_path(path, name, NULL);
	do /* again if it went away meanwhile: then another one, or none, is there */
		err = open_once(name, out, &dir);
	while (err == -EPROTO && (stat(path, &st) || st.st_ino != dir));
	return err;
}

int filter_explain(const char *name, int err)
{
	if (err == -ENOENT)
		say_err(err, "there is no filter %s; xdp-dedup status lists those there are", name);
	else if (err == -EACCES)
		say_err(err, "not permitted to open the filter %s; run as root", name);
	else
		say_err(err,
			"the pins of %s are incomplete or of another version; xdp-dedup unload "
			"--name %s removes them",
			name, name);
	return err;
}

int filter_open_or_say(const char *name, struct filter *out)
{
	int err = filter_open(name, out);

	return err ? filter_explain(name, err) : 0;
}

int filter_counters(const struct filter *f, struct dedup_counters *sum)
{
	int cpus = libbpf_num_possible_cpus();
	struct dedup_counters *each;
	__u32 key = 0;
	int err = 0;

	if (cpus < 0)
		return cpus;
	each = calloc(cpus, sizeof(*each));
	if (!each)
		return -ENOMEM;
	if (bpf_map_lookup_elem(f->stats_fd, &key, each)) {
		err = -errno;
		goto out;
	}
	*sum = (struct dedup_counters){ 0 };
	for (int i = 0; i < cpus; i++) {
#define X(name, help) sum->name += each[i].name;
		DEDUP_COUNTERS(X)
#undef X
	}
out:
	free(each);
	return err;
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

int loader_names(char ***out)
{
	char **names = calloc(1, sizeof(*names)), **more;
	struct dirent *entry;
	size_t cnt = 0;
	DIR *dir;

	*out = NULL;
	if (!names)
		return -ENOMEM;
	dir = opendir(PIN_ROOT);
	if (!dir && errno != ENOENT) {
		loader_free_names(names);
		return say_err(-errno, "cannot list %s: %s%s", PIN_ROOT, strerror(errno),
			       errno == EACCES ? "; run as root" : "");
	}
	while (dir && (entry = readdir(dir))) {
		if (!loader_name_ok(entry->d_name))
			continue;
		more = realloc(names, (cnt + 2) * sizeof(*names));
		if (!more)
			break;
		names = more;
		names[cnt] = strdup(entry->d_name);
		names[++cnt] = NULL;
	}
	if (dir)
		closedir(dir);
	qsort(names, cnt, sizeof(*names), compare_names);
	*out = names;
	return 0;
}
