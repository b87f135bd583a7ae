// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "loader_predecessor.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include <bpf/bpf.h>

#include "diag.h"
#include "fd.h"
#include "snapshot_file.h"
#include "object.h"
#include "pins.h"
#include "plan.h"
#include "predecessor.h"

void predecessor_close(struct predecessor *p)
{
	for (int i = 0; i < PREDECESSOR_MAPS; i++) {
		fd_close(p->fds[i]);
		p->fds[i] = -1;
	}
}

int predecessor_of_filter(const struct filter *f, struct predecessor *out)
{
	static const enum pin OF_FILTER[PREDECESSOR_MAPS] = { PIN_STATE, PIN_FILTER, PIN_TIMER };
	int err = 0;

	*out = (struct predecessor){ .config = *f->config, .has_program = true, .fds = { -1, -1, -1 } };
	for (int i = 0; i < PREDECESSOR_MAPS && !err; i++) {
		out->fds[i] = object_open_pin(f->name, PINS[OF_FILTER[i]]);
		err = out->fds[i] < 0 ? out->fds[i] : 0;
	}
	if (err)
		predecessor_close(out);
	return err;
}

/* Reads the current ids of the successor into *ids, and how many it has learned into *reported. The
 * predecessor counts these; from its next step on, the successor's hand reports later ids to it.
 */
static int ids_of_successor(const struct filter *successor, const struct snapshot_moment *now,
			    struct snapshot_ids *ids, uint64_t *reported)
{
	static struct snapshot_head h;
	int err = snapshot_take(successor, now, &h);

	if (err)
		return diag_err(err, "the window's clock of %s has stopped" ADVICE "unload it",
				successor->name);
	snapshot_finish(successor, &h);
	*ids = snapshot_ids(&h);
	*reported = h.learned;
	return 0;
}

/* Fills the filter's memory and its state, and starts its hand. Returns 0; 1 if no id is left; or
 * -errno.
 */
static int resume_filter(struct xdp_dedup *skel, const struct snapshot *snapshot,
			 const struct filter *successor, uint64_t *reported)
{
	size_t size = snapshot->head.config.memory.blocks * sizeof(struct dedup_block);
	struct dedup_state *st = &skel->data_state->state;
	struct snapshot_moment now;
	struct dedup_block *blocks;
	struct snapshot_ids ids = { 0 };
	uint64_t elapsed_ns;
	int err;

	blocks = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
		      bpf_map__fd(skel->maps.filter), 0);
	if (blocks == MAP_FAILED)
		return diag_err(-errno, "cannot map the filter: %s", strerror(errno));
	err = snapshot_read(snapshot, blocks);
	if (!err && (err = snapshot_moment_now(&now)))
		diag_err(err, "cannot tell which boot this is: %s", strerror(-err));
	if (!err) {
		elapsed_ns = snapshot_elapsed(&snapshot->head.moment, &now);
		snapshot_state(&snapshot->head, now.hand_ns, elapsed_ns, st);
		snapshot_age(&snapshot->head, now.hand_ns, elapsed_ns, st, blocks);
		err = successor ? ids_of_successor(successor, &now, &ids, reported) : 0;
	}
	if (!err && successor)
		snapshot_add_ids(&snapshot->head, ids, successor->config, st, blocks);
	if (!err)
		err = dedup_is_forgotten(st);
	munmap(blocks, size);
	return err ? err : object_start_hand(skel->progs.hand_resume);
}

/* Duplicates the maps' descriptors, so that they stay open when the object is closed. */
static int keep_open(const struct xdp_dedup *skel, struct predecessor *p)
{
	const struct bpf_map *const maps[PREDECESSOR_MAPS] = { skel->maps.data_state,
							       skel->maps.filter, skel->maps.timer };

	for (int i = 0; i < PREDECESSOR_MAPS; i++) {
		p->fds[i] = fcntl(bpf_map__fd(maps[i]), F_DUPFD_CLOEXEC, 0);
		if (p->fds[i] < 0)
			return diag_err(-errno, "cannot keep a map open: %s", strerror(errno));
	}
	return 0;
}

int predecessor_of_snapshot(const struct snapshot *snapshot, const struct filter *successor,
			    struct predecessor *out)
{
	struct xdp_dedup *skel = NULL;
	int err;

	*out = (struct predecessor){
		.config = snapshot->head.config,
		.sets_reported = successor,
		.fds = { -1, -1, -1 },
	};
	plan_localize(&out->config);
	out->config.policy.deliver = 0;
	/* A snapshot has no memory of numbered streams. */
	out->config.sources = (struct dedup_sources){ 0 };
	memset(out->config.numbered, 0, sizeof(out->config.numbered));
	err = object_open(NULL, &out->config, &skel);
	if (err)
		return err;
	bpf_program__set_autoload(object_packet_program(skel), false);
	bpf_program__set_autoload(skel->progs.hand_start, false);
	bpf_program__set_autoload(skel->progs.hand_resume, true);
	err = object_load_filter(skel, NULL, &out->config)
	      ?: resume_filter(skel, snapshot, successor, &out->reported)
	      ?: keep_open(skel, out);
	xdp_dedup__destroy(skel);
	if (err)
		predecessor_close(out);
	return err;
}
