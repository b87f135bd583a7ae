// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "delivery.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "clock.h"
#include "fd.h"
#include "kept.h"
#include "kernel.h"
#include "open.h"
#include "pins.h"
#include "want.h"

#define SOCKETS_BYTES (DEDUP_SOCKETS_MAX * sizeof(struct dedup_socket))
#define IN_FLIGHT_BYTES (DEDUP_SOCKETS_MAX * DEDUP_IN_FLIGHT_MAX * sizeof(struct dedup_in_flight))

#define READERS_NS 1000000000ULL
#define READERS_TRY_US 5000
#define READERS_FREED_US 50000

/* Maps the elements of the filter's map into memory; `bytes` is the size of all. */
static int map_elements(const struct filter *f, enum pin pin, size_t bytes, void **out)
{
	struct bpf_map_info info = { 0 };
	int fd = filter_open_map(f, pin), err = fd < 0 ? fd : kernel_info(fd, &info, sizeof(info));
	void *mem;

	if (!err && (size_t)info.value_size * info.max_entries != bytes)
		err = -EPROTO;
	if (!err) {
		mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (mem == MAP_FAILED)
			err = -errno;
		else
			*out = mem;
	}
	fd_close(fd);
	return err;
}

void delivery_begin(struct delivery *d)
{
	*d = (struct delivery){ .xsks_fd = -1, .queues_fd = -1 };
}

int delivery_open(const struct filter *f, struct delivery *out)
{
	struct delivery d;
	int err;

	if (!f->config->policy.deliver)
		return -EOPNOTSUPP;
	delivery_begin(&d);
	d.xsks_fd = filter_open_map(f, PIN_XSKS);
	d.queues_fd = filter_open_map(f, PIN_QUEUES);
	err = d.xsks_fd < 0 ? d.xsks_fd : d.queues_fd < 0 ? d.queues_fd : 0;
	if (!err)
		err = map_elements(f, PIN_SOCKETS, SOCKETS_BYTES, (void **)&d.sockets)
			      ?: map_elements(f, PIN_IN_FLIGHT, IN_FLIGHT_BYTES,
					      (void **)&d.in_flight);
	if (err)
		delivery_close(&d);
	else
		*out = d;
	return err;
}

void delivery_close(struct delivery *d)
{
	if (d->in_flight)
		munmap(d->in_flight, IN_FLIGHT_BYTES);
	if (d->sockets)
		munmap(d->sockets, SOCKETS_BYTES);
	fd_close(d->queues_fd);
	fd_close(d->xsks_fd);
	delivery_begin(d);
}

static void end_slot(struct dedup_socket *s)
{
	__sync_fetch_and_or(&s->opened, DEDUP_ENDED);
}

void delivery_end(const struct delivery *d)
{
	for (uint32_t i = 0; d->sockets && i < DEDUP_SOCKETS_MAX; i++)
		end_slot(&d->sockets[i]);
}

uint32_t delivery_reopen(struct dedup_socket *s)
{
	uint32_t was, opened;

	do {
		was = READ_ONCE(s->opened);
		opened = (was & ~DEDUP_ENDED) + 1;
	} while (!__sync_bool_compare_and_swap(&s->opened, was, opened));
	return opened;
}

bool delivery_runs_on(const struct filter *f, uint32_t ifindex)
{
	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (READ_ONCE(f->record->ifaces[i].ifindex) == ifindex)
			return true;
	return false;
}

/* Takes over the slot of the owner `was`, unless another process has done so. */
static bool take_slot_over(const struct delivery *d, uint32_t slot, uint64_t was, uint64_t owner)
{
	struct dedup_queue gone = { was >> 32, (uint32_t)was };

	if (!__sync_bool_compare_and_swap(&d->sockets[slot].owner, was, owner))
		return false;
	/* The next queue does not inherit the credits of the slot's last reader. */
	WRITE_ONCE(d->sockets[slot].granted, 0);
	if (was)
		bpf_map_delete_elem(d->queues_fd, &gone);
	return true;
}

/* Returns the slot that the queue owns, or takes over. */
static int find_slot(const struct delivery *d, const struct filter *f, uint64_t owner)
{
	for (uint32_t i = 0; i < DEDUP_SOCKETS_MAX; i++)
		if (READ_ONCE(d->sockets[i].owner) == owner)
			return (int)i;
	for (uint32_t i = 0; i < DEDUP_SOCKETS_MAX; i++)
		if (take_slot_over(d, i, 0, owner))
			return (int)i;
	for (uint32_t i = 0; i < DEDUP_SOCKETS_MAX; i++) {
		uint64_t was = READ_ONCE(d->sockets[i].owner);

		if (!delivery_runs_on(f, was >> 32) && take_slot_over(d, i, was, owner))
			return (int)i;
	}
	return -ENOSPC;
}

int delivery_slot(const struct delivery *d, const struct filter *f, struct dedup_queue queue)
{
	int slot = find_slot(d, f, dedup_queue_word(queue));
	__u32 value = slot;

	if (slot < 0)
		return slot;
	return bpf_map_update_elem(d->queues_fd, &queue, &value, BPF_ANY) ? -errno : slot;
}

int delivery_enter(const struct delivery *d, uint32_t slot, int socket_fd)
{
	return bpf_map_update_elem(d->xsks_fd, &slot, &socket_fd, BPF_ANY) ? -errno : 0;
}

int delivery_want(struct filter *f, const struct dedup_in_flight *h)
{
	int n = kept_of_slot(f->config, h->slot);

	return n < 0 ? -EINVAL : want_key(f, &h->id, n);
}

int delivery_want_no_more(struct filter *f, const struct dedup_in_flight *h)
{
	int n = kept_of_slot(f->config, h->slot);

	return n < 0 ? -EINVAL : want_withdraw(f, &h->id, n);
}

/* Wants the ids of all packets in the slot's log. Counts them in *wanted, or in *lost if there was
 * no room. ends: also removes the packets from the log.
 */
static void want_logged(const struct delivery *d, struct filter *f, uint32_t slot, bool ends,
			unsigned int *wanted, unsigned int *lost)
{
	int err = 0;

	for (uint32_t i = 0; i < DEDUP_IN_FLIGHT_MAX; i++) {
		struct dedup_in_flight *h = delivery_in_flight(d, slot, i);

		if (!READ_ONCE(h->number))
			continue;
		/* delivery_want() waits for a late hand: once, not again for each id. */
		if (!h->given_back && err != -ESTALE)
			err = delivery_want(f, h);
		if (!h->given_back)
			++*(err < 0 ? lost : wanted);
		if (ends)
			WRITE_ONCE(h->number, 0);
	}
}

void delivery_want_left(const struct delivery *d, struct filter *f, uint32_t slot,
			unsigned int *wanted, unsigned int *lost)
{
	*wanted = *lost = 0;
	want_logged(d, f, slot, true, wanted, lost);
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

void delivery_await_readers(const struct delivery *d, const struct filter *f)
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

/* Packets of readers that have ended come first, so that their ids find room. */
void delivery_want_unread(const struct delivery *d, struct filter *f, struct delivery_unread *out)
{
	unsigned int held_wanted = 0;

	*out = (struct delivery_unread){ 0 };
	for (uint32_t i = 0; i < DEDUP_SOCKETS_MAX; i++) {
		if (!is_abandoned(d, f, i))
			continue;
		end_slot(&d->sockets[i]);
		if (has_socket(d, i))
			continue;
		want_logged(d, f, i, true, &out->wanted, &out->lost);
		take_slot_over(d, i, READ_ONCE(d->sockets[i].owner), 0);
	}
	for (uint32_t i = 0; i < DEDUP_SOCKETS_MAX; i++)
		if (is_abandoned(d, f, i))
			want_logged(d, f, i, false, &held_wanted, &out->held_lost);
}
