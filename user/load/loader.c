// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "loader.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "diag.h"
#include "kernel.h"
#include "object.h"
#include "open.h"
#include "pin_dirs.h"

int loader_private_open(const struct dedup_config *cfg, struct filter *out, struct xdp_dedup **prog)
{
	struct xdp_dedup *skel = NULL;
	struct filter f = { .stats_fd = -1, .wanted_fd = -1 };
	struct dedup_config config = *cfg;
	/* Both engines of a replay use one set of secrets: that of *cfg. */
	int err = cfg->memory.replay ? 0 : object_draw_secrets(&config);

	err = err ?: object_open(NULL, cfg, &skel);
	if (err)
		return err;
	err = object_load_filter(skel, NULL, &config) ?: object_start_hand(skel->progs.hand_start);
	if (err)
		goto fail;
	f.blocks = mmap(NULL, dedup_blocks(cfg) * sizeof(*f.blocks), PROT_READ | PROT_WRITE,
			MAP_SHARED, bpf_map__fd(skel->maps.filter), 0);
	if (f.blocks == MAP_FAILED) {
		err = diag_err(-errno, "cannot map the filter: %s", strerror(errno));
		goto fail;
	}
	f.config = (const struct dedup_config *)&skel->rodata_config->config;
	f.state = &skel->data_state->state;
	f.record = &skel->data_record->record;
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
	munmap(f->blocks, dedup_blocks(f->config) * sizeof(*f->blocks));
	*f = (struct filter){ .stats_fd = -1, .wanted_fd = -1 };
	xdp_dedup__destroy(prog);
}

int loader_private_prog_fd(const struct xdp_dedup *prog)
{
	return bpf_program__fd(object_packet_program(prog));
}

#define AWAIT_MS 5000 /* a hand steps at least every 10 ms, unless the machine delays its timers */

int loader_await_hand(const struct filter *f, uint64_t after_ns)
{
	for (int ms = 0; ms < AWAIT_MS; ms++) {
		if (READ_ONCE(f->state->last_ns) != after_ns)
			return 0;
		usleep(1000);
	}
	return diag_err(-ESTALE,
			"the clock of %s does not run: this machine is too busy to run its timers" ADVICE
			"try again later",
			filter_shown_name(f));
}

int loader_program_open(const char *name, struct xdp_dedup **out)
{
	struct filter f;
	int err = filter_open_without_blocks(name, &f);

	if (err)
		return loader_explain(name, err);
	err = object_open(name, f.config, out);
	filter_close(&f);
	if (!err)
		bpf_program__set_autoload((*out)->progs.hand_start, false);
	return err;
}

int loader_open_program(const char *name)
{
	return object_open_pin(name, PIN_PROG);
}

/* Logs why a filter's pins cannot be read. */
static int explain_pins(const char *name)
{
	int format = filter_format(name);

	if (format > DEDUP_FORMAT)
		return diag_err(
			-EPROTO,
			"%s was loaded by a newer xdp-dedup (format %d; this one knows %d): use that one, or remove it by xdp-dedup unload --name %s",
			name, format, DEDUP_FORMAT, name);
	return diag_err(-EPROTO,
			"the pins of %s are incomplete or of another version" ADVICE
			"xdp-dedup unload --name %s removes them",
			name, name);
}

int loader_explain(const char *name, int err)
{
	if (err == -ENOENT || err == -ENODEV)
		return diag_err(err,
				"there is no filter %s" ADVICE
				"xdp-dedup status lists those there are",
				name);
	if (err == -EPERM && dir_check(PIN_ROOT, false) == -EPERM)
		return pin_dir_explain(PIN_ROOT, err);
	if (err == -EACCES || err == -EPERM)
		return diag_err(err, "not permitted to open the filter %s" ADVICE "run as root",
				name);
	if (err == -EPROTO)
		return explain_pins(name);
	return diag_err(err, "cannot open the filter %s: %s", name, strerror(-err));
}

void loader_free_names(char **names)
{
	for (char **n = names; n && *n; n++)
		free(*n);
	free(names);
}

/* For scandir(): is the entry the name of a filter? */
static int is_name(const struct dirent *entry)
{
	return filter_name_ok(entry->d_name);
}

int loader_find_names(char ***out)
{
	struct dirent **found = NULL;
	int cnt = scandir(PIN_ROOT, &found, is_name, alphasort);
	int err = cnt < 0 && errno != ENOENT ? -errno : 0;
	char **names = err ? NULL : calloc(cnt > 0 ? cnt + 1 : 1, sizeof(*names));

	if (!err && !names)
		err = -ENOMEM;
	for (int i = 0; i < cnt; i++) {
		if (!err && !(names[i] = strdup(found[i]->d_name)))
			err = -ENOMEM;
		free(found[i]);
	}
	free(found);
	if (err)
		loader_free_names(names);
	*out = err ? NULL : names;
	return err;
}

int loader_names(char ***out)
{
	int err = loader_find_names(out);

	if (!err)
		return 0;
	return diag_err(err,
			err == -EACCES ? "cannot list %s: %s" ADVICE "run as root"
				       : "cannot list %s: %s",
			PIN_ROOT, strerror(-err));
}
