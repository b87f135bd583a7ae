// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A receiver without packets: frees credits that lost packets hold, and detects the end of delivery. */
#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "open.h"
#include "receiver.h"

#define VANISHED_NS 2000000000ULL /* after this a packet that was sent, but not received, is lost */
#define CHECK_NS 10000000	  /* between two checks of the socket */
#define LATE_MAX_NS 100000000	  /* one check of a late hand adds at most this to late_ns */

/* Called while the ring is empty. Ends a packet that the program has sent and that was lost: it
 * would hold back all later credits for ever.
 */
static void end_vanished(struct xdp_dedup_receiver *r, struct filter *f)
{
	struct dedup_in_flight *h = queue_in_flight(&r->queue, r->oldest);
	struct slot *s = receiver_slot(r, r->oldest);
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);

	if (READ_ONCE(h->number) != r->oldest + 1 || s->state != SLOT_UNSEEN) {
		r->stuck_ns = 0;
	} else if (h->given_back) {
		s->credits = h->frames;
		receiver_end_packet(r, r->oldest);
		receiver_grant(r);
	} else if (!r->stuck_ns || r->stuck != r->oldest) {
		r->stuck = r->oldest;
		r->stuck_ns = now_ns;
	} else if (now_ns - r->stuck_ns >= VANISHED_NS && receiver_want(r, f, h)) {
		s->credits = h->frames;
		r->stats.vanished++;
		receiver_end_packet(r, r->oldest);
		receiver_grant(r);
	}
}

/* Called while the ring is empty. Ends broken packets whose ids could not be wanted before, because
 * the hand was late: they hold back all later credits.
 */
static void end_broken(struct xdp_dedup_receiver *r, struct filter *f)
{
	while (receiver_slot(r, r->oldest)->state == SLOT_BROKEN &&
	       receiver_want(r, f, queue_in_flight(&r->queue, r->oldest))) {
		receiver_end_packet(r, r->oldest);
		receiver_grant(r);
	}
}

/* Has the filter been unloaded, as its hand is late? A hand also seems late after this process or
 * the machine has been suspended. If this process can read the pins, they decide; else the hand
 * must be late for stale_ns more, while this process runs.
 */
static bool is_filter_gone(struct xdp_dedup_receiver *r, const struct filter *f)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE), since_ns = now_ns - r->late_seen_ns;
	bool late = lib_is_stopped(r->filter, f);
	int loaded;

	r->late_ns = !late ? 0 : r->late_ns + (since_ns < LATE_MAX_NS ? since_ns : LATE_MAX_NS);
	r->late_seen_ns = now_ns;
	if (!late)
		return false;
	loaded = filter_is_loaded(f);
	return loaded == -ENOENT || (loaded && r->late_ns > f->config->memory.stale_ns);
}

/* Returns 0 if packets may still come; -ESTALE if none will come, or if that is unknown. */
static int check_fed(struct xdp_dedup_receiver *r, const struct filter *f)
{
	uint32_t pid = getpid();

	if (queue_is_lost(&r->queue))
		return -ESTALE;
	if (READ_ONCE(r->queue.socket->pid) != pid) /* a child of fork() uses the receiver now */
		WRITE_ONCE(r->queue.socket->pid, pid);
	if (!f || !f->config->policy.deliver || !delivery_runs_on(f, r->queue.ifindex))
		return -ESTALE;
	return is_filter_gone(r, f) ? -ESTALE : 0;
}

int receiver_be_idle(struct xdp_dedup_receiver *r, struct filter *f)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
	bool is_due = now_ns - r->checked_ns >= CHECK_NS;
	int err = is_due || !f ? check_fed(r, f) : 0;

	if (err)
		return err;
	end_broken(r, f);
	end_vanished(r, f);
	if (!is_due && !r->busy_poll && !xsk_ring_prod__needs_wakeup(&r->queue.xsk.fill))
		return 0;
	if (is_due)
		r->checked_ns = now_ns;
	if (recvfrom(r->queue.xsk.fd, NULL, 0, MSG_DONTWAIT, NULL, NULL) >= 0 || errno == EAGAIN ||
	    errno == EBUSY || errno == EINTR)
		return 0;
	return -errno;
}
