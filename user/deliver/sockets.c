// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sockets.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Does a process with this id run in this PID namespace? By a pidfd, as kill() also finds zombies. */
static bool process_exists(uint32_t pid)
{
	struct pollfd p = { .events = POLLIN };
	bool has_ended;

	if (!pid)
		return false;
	p.fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (p.fd < 0)
		return errno != ESRCH;
	has_ended = poll(&p, 1, 0) == 1 && p.revents & POLLIN;
	close(p.fd);
	return !has_ended;
}

static void read_socket(const struct delivery *d, uint32_t slot, struct socket_seen *out)
{
	const struct dedup_socket *s = &d->sockets[slot];
	uint64_t owner = READ_ONCE(s->owner), taken, granted;

	*out = (struct socket_seen){ .queue = { owner >> 32, (uint32_t)owner },
				     .pid = READ_ONCE(s->pid),
				     .zerocopy = READ_ONCE(s->zerocopy) };
	out->is_read = process_exists(out->pid);
	/* `taken` never exceeds `granted`, so it is read first. */
	taken = READ_ONCE(s->taken);
	granted = READ_ONCE(s->granted);
	if (out->is_read && granted > taken)
		out->frames_free = granted - taken;
	for (uint32_t i = 0; i < DEDUP_IN_FLIGHT_MAX; i++) {
		const struct dedup_in_flight *h = delivery_in_flight(d, slot, i);

		if (!READ_ONCE(h->number))
			continue;
		out->unreturned++;
		out->frames_taken += READ_ONCE(h->frames);
	}
}

static int by_queue(const void *a, const void *b)
{
	uint64_t x = dedup_queue_word(((const struct socket_seen *)a)->queue);
	uint64_t y = dedup_queue_word(((const struct socket_seen *)b)->queue);

	return x < y ? -1 : x > y;
}

void sockets_refresh(struct sockets *s)
{
	s->cnt = 0;
	for (uint32_t i = 0; i < DEDUP_SOCKETS_MAX; i++)
		if (READ_ONCE(s->delivery.sockets[i].owner))
			read_socket(&s->delivery, i, &s->list[s->cnt++]);
	qsort(s->list, s->cnt, sizeof(s->list[0]), by_queue);
}

int sockets_open(const struct filter *f, struct sockets **out)
{
	struct sockets *s;
	int err;

	*out = NULL;
	if (!f->config->policy.deliver)
		return 0;
	s = calloc(1, sizeof(*s));
	err = s ? delivery_open(f, &s->delivery) : -ENOMEM;
	if (err) {
		free(s);
		return err;
	}
	sockets_refresh(s);
	*out = s;
	return 0;
}

void sockets_free(struct sockets *s)
{
	if (!s)
		return;
	delivery_close(&s->delivery);
	free(s);
}
