// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>

#include "image_file.h"
#include "loader.h"
#include "object.h"
#include "pin_dirs.h"
#include "plan.h"
#include "predecessor.h"
#include "say.h"

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
	err = object_run(skel->progs.hand_resume);
	return err ? say_err(err, "cannot start the filter's clock: %s", strerror(-err)) : 0;
}

/* Makes the filter of an image: no packet program ever runs on it. 1: no id is left of it. */
static int make_restored(const struct image *image, const struct filter *beside)
{
	struct dedup_config cfg = image->head.config;
	struct xdp_dedup *skel = NULL;
	int err;

	plan_move_here(&cfg);
	cfg.deliver = 0;
	err = object_open(HALF_MADE, &cfg, &skel);
	if (err)
		return err;
	bpf_program__set_autoload(loader_packet_program(skel), false);
	bpf_program__set_autoload(skel->progs.hand_start, false);
	bpf_program__set_autoload(skel->progs.hand_resume, true);
	err = object_load_filter(skel, &cfg);
	if (!err)
		err = resume_filter(skel, image, beside);
	xdp_dedup__destroy(skel);
	return err;
}

int loader_restore(const char *name, const struct image *image, const struct filter *beside)
{
	char before[PATH_MAX];
	int result = pin_dir_begin(), err;

	if (result)
		return result;
	result = make_restored(image, beside);
	pin_dir_prefixed(before, BEFORE, name);
	err = pin_dir_end(result < 0 ? result : result ? -ESTALE : 0, before);
	return result > 0 ? result : err;
}
