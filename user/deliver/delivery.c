// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "delivery.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "fd.h"
#include "kept.h"
#include "open.h"
#include "pins.h"
#include "want.h"

#define SOCKETS_BYTES (DEDUP_SOCKETS_MAX * sizeof(struct dedup_socket))
#define IN_FLIGHT_BYTES (DEDUP_SOCKETS_MAX * DEDUP_IN_FLIGHT_MAX * sizeof(struct dedup_in_flight))

/* Maps `bytes`, all elements of the filter's map, into memory. */
static int map_elements(const struct filter *f, enum pin pin, size_t bytes, void **out)
{
	int fd = filter_open_map(f, pin), err = 0;
	void *mem;

	if (fd < 0)
		return fd;
	mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED)
		err = -errno;
	else
		*out = mem;
	close(fd);
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

bool delivery_runs_on(const struct filter *f, uint32_t ifindex)
{
	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (READ_ONCE(f->record->ifaces[i].ifindex) == ifindex)
			return true;
	return false;
}

bool delivery_take_slot_over(const struct delivery *d, uint32_t slot, uint64_t was, uint64_t owner)
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
		if (delivery_take_slot_over(d, i, 0, owner))
			return (int)i;
	for (uint32_t i = 0; i < DEDUP_SOCKETS_MAX; i++) {
		uint64_t was = READ_ONCE(d->sockets[i].owner);

		if (!delivery_runs_on(f, was >> 32) && delivery_take_slot_over(d, i, was, owner))
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

void delivery_want_left(const struct delivery *d, struct filter *f, uint32_t slot, bool ends,
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
