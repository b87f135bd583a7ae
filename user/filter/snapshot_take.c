// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Takes a snapshot's time, and its state from a live filter. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "hand.h"
#include "snapshot.h"
#include "iface.h"
#include "kernel.h"
#include "layout.h"
#include "open_filter.h"

#define CLEAR_TRIES 2000 /* 1 ms each while an array is cleared, which takes less than a second */
#define CLEAR_TRY_US 1000

/* Reads the first line of a file; "" if it cannot be read. */
static void read_id_file(const char *path, char out[SNAPSHOT_ID_TEXT])
{
	FILE *f = fopen(path, "re");

	memset(out, 0, SNAPSHOT_ID_TEXT);
	if (f && fgets(out, SNAPSHOT_ID_TEXT, f))
		memset(out + strcspn(out, "\n"), 0, SNAPSHOT_ID_TEXT - strcspn(out, "\n"));
	if (f)
		fclose(f);
}

int snapshot_moment_now(struct snapshot_moment *out)
{
	*out = (struct snapshot_moment){
		.wall_ns = clock_ns(CLOCK_REALTIME),
		.boot_ns = clock_ns(CLOCK_BOOTTIME),
		.hand_ns = kernel_now_ns(),
	};
	read_id_file("/proc/sys/kernel/random/boot_id", out->boot);
	read_id_file("/etc/machine-id", out->machine);
	return *out->boot ? 0 : -ENODATA;
}

/* Copies the state while the hand stands still. Layout flat: only at place 0, as ids could be
 * learned into blocks that it has just cleared before these are read. A segment's marks are written
 * before the hand passes it, and `passed` after.
 */
static int copy_state(const struct filter *f, struct dedup_state *out)
{
	for (int i = 0; i < CLEAR_TRIES; i++) {
		uint64_t hand = READ_ONCE(f->state->hand), passed = READ_ONCE(f->state->passed);
		uint32_t pos = dedup_hand_pos(hand);

		if (pos && layout_of(f->config->memory.layout)->rests) {
			usleep(CLEAR_TRY_US);
			continue;
		}
		__sync_synchronize();
		memcpy(out, f->state, sizeof(*out));
		__sync_synchronize();
		if (passed % f->config->memory.places == pos && hand == READ_ONCE(f->state->hand) &&
		    passed == READ_ONCE(f->state->passed))
			return 0;
	}
	return -EAGAIN;
}

/* Takes the interfaces' real names, not cleaned ones (text.h). */
static void take_interfaces(const struct dedup_record *r, struct snapshot_head *h)
{
	int cnt = 0;

	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (iface_is_local(&r->ifaces[i]))
			snprintf(h->ifnames[cnt++], sizeof(*h->ifnames), "%.*s",
				 (int)sizeof(r->ifaces[i].name) - 1, r->ifaces[i].name);
}

int snapshot_take(const struct filter *f, const struct snapshot_moment *now, struct snapshot_head *h)
{
	struct dedup_state st;
	int err = copy_state(f, &st);

	if (err)
		return err;
	*h = (struct snapshot_head){
		.version = SNAPSHOT_VERSION,
		.format = DEDUP_FORMAT,
		.head_bytes = sizeof(*h),
		.file_bytes = sizeof(*h) + f->config->memory.blocks * (uint64_t)sizeof(*f->blocks),
		.moment = *now,
		.config = *f->config,
		.hand = st.hand,
		.next_ns = st.next_ns - now->hand_ns,
		.drop_ns = st.drop_until_ns - now->hand_ns,
	};
	memcpy(h->magic, SNAPSHOT_MAGIC, sizeof(h->magic));
	h->config.format = DEDUP_FORMAT;
	h->config.serial = h->config.earlier_stats = h->config.has_predecessor = 0;
	h->config.predecessor_scale = 0;
	h->config.memory.known_cnt = 0; /* the cache of known ids is not saved */
	if ((__s64)(st.requested - st.passed) > 0)
		h->requested = st.requested - st.passed;
	for (int i = 0; i < 2 * DEDUP_MARKS; i++) {
		__s64 age_ns = now->hand_ns - st.marks[i].at_ns;

		h->marks[i].learned = st.marks[i].learned;
		h->marks[i].age_ns = age_ns > 0 ? age_ns : 0;
	}
	take_interfaces(f->record, h);
	return 0;
}

void snapshot_finish(const struct filter *f, struct snapshot_head *h)
{
	h->learned = READ_ONCE(f->state->learned);
}
