// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unread.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "clock.h"
#include "diag.h"
#include "fd.h"
#include "kernel.h"

#define READERS_NS 1000000000ULL
#define READERS_TRY_US 5000
#define READERS_FREED_US 50000

static void end_slot(struct dedup_socket *s)
{
	__sync_fetch_and_or(&s->opened, DEDUP_ENDED);
}

/* Is there a socket in this slot? The kernel removes a socket from the map when it is closed, so
 * this is more reliable than the process id, which may be one of a container. Returns 1 or 0; or
 * -errno if that is unknown, as without CAP_NET_RAW. Then a reader may still run.
 */
static int has_socket(const struct delivery *d, uint32_t slot)
{
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	int err = fd < 0 || bpf_map_update_elem(d->xsks_fd, &slot, &fd, BPF_NOEXIST) ? -errno : 0;

	fd_close(fd);
	return err == -EEXIST ? 1 : err;
}

/* Does the filter no longer deliver to the slot's queue, so that no reader will open it? */
static bool is_abandoned(const struct delivery *d, const struct filter *f, uint32_t slot)
{
	uint64_t owner = READ_ONCE(d->sockets[slot].owner);

	return owner && !(f->config->policy.deliver && delivery_runs_on(f, owner >> 32));
}

static bool has_readers(const struct delivery *d, const struct filter *f)
{
	for (uint32_t i = 0; i < DEDUP_SOCKETS_MAX; i++)
		if (READ_ONCE(d->sockets[i].zerocopy) && (!f || is_abandoned(d, f, i)) &&
		    has_socket(d, i))
			return true;
	return false;
}

/* Waits up to READERS_NS until the readers have closed their zero-copy sockets in abandoned slots,
 * or in all slots if f is NULL.
 */
static void await_readers(const struct delivery *d, const struct filter *f)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + READERS_NS;
	bool waited = false;

	while (d->sockets && has_readers(d, f) && clock_ns(CLOCK_MONOTONIC) < end_ns) {
		waited = true;
		usleep(READERS_TRY_US);
	}
	if (waited) /* the kernel frees a socket's queue in the background, without a notification */
		usleep(READERS_FREED_US);
}

void unread_end(const struct delivery *d)
{
	for (uint32_t i = 0; d->sockets && i < DEDUP_SOCKETS_MAX; i++)
		end_slot(&d->sockets[i]);
	await_readers(d, NULL);
}

/* Wants the ids of packets in abandoned slots, those of readers that have ended first, so that they
 * find room, and frees these readers' slots. A slot that still has a socket stays (deliver.h).
 */
static void want_abandoned(const struct delivery *d, struct filter *f)
{
	unsigned int wanted = 0, lost = 0, held_wanted = 0, held_lost = 0;

	for (uint32_t i = 0; i < DEDUP_SOCKETS_MAX; i++) {
		if (!is_abandoned(d, f, i))
			continue;
		end_slot(&d->sockets[i]);
		if (has_socket(d, i))
			continue;
		delivery_want_left(d, f, i, true, &wanted, &lost);
		delivery_take_slot_over(d, i, READ_ONCE(d->sockets[i].owner), 0);
	}
	for (uint32_t i = 0; i < DEDUP_SOCKETS_MAX; i++)
		if (is_abandoned(d, f, i))
			delivery_want_left(d, f, i, false, &held_wanted, &held_lost);
	if (wanted)
		diag_note("%u packets of %s were left by readers that have ended: their next copies pass",
			  wanted, f->name);
	if (lost)
		diag_note("%u packets of %s were left by readers that have ended, and their next copies are dropped: too many ids are wanted",
			  lost, f->name);
	if (held_lost)
		diag_note("%u packets of %s are in sockets of readers that run, and are lost if these are killed before they have read them: too many ids are wanted",
			  held_lost, f->name);
}

void unread_want(const struct filter *from, struct filter *f)
{
	struct delivery d;
	int err = delivery_open(from, &d);

	if (err && err != -EOPNOTSUPP)
		diag_note("cannot look at what readers of %s have left: %s", f->name, strerror(-err));
	if (err)
		return;
	kernel_wait_for_packets();
	want_abandoned(&d, f);
	await_readers(&d, f);
	delivery_close(&d);
}
