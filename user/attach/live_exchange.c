// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "live_exchange.h"

#include <errno.h>
#include <string.h>

#include "attachments.h"
#include "detach.h"
#include "diag.h"
#include "fd.h"
#include "kernel.h"
#include "links_exchange.h"
#include "loader.h"
#include "maps.h"
#include "open.h"
#include "pin_dirs.h"
#include "predecessor.h"
#include "slow_path_reason.h"
#include "totals.h"
#include "unread.h"

void pair_close(struct pair *p)
{
	filter_close(&p->f);
	filter_close(&p->staged);
}

int pair_open(const char *name, struct pair *p)
{
	int err;

	*p = (struct pair){ .name = name };
	p->f.stats_fd = p->f.wanted_fd = p->staged.stats_fd = p->staged.wanted_fd = -1;
	err = filter_open(name, &p->f) ?: filter_open_staged(name, &p->staged);
	if (err)
		pair_close(p);
	return err;
}

/* Are they two programs over one memory? */
static bool has_same_memory(const struct pair *p)
{
	return p->f.state_id == p->staged.state_id;
}

/* For slow_path_put_reason(). */
static int put_exchanging(struct filter *f, void *arg)
{
	(void)arg;
	WRITE_ONCE(f->state->exchanging, 1);
	return 0;
}

/* The next program may have a predecessor that the hand, until it has the next configuration, does
 * not know: packets take the slow path until the change ends.
 */
static int begin_exchange(struct pair *p)
{
	int err = slow_path_put_reason(&p->f, put_exchanging, NULL);

	if (err == -ESTALE)
		return diag_err(err,
				"the window's clock of %s has stopped" ADVICE "unload and load it",
				p->name);
	if (err)
		return diag_err(err, "cannot begin the exchange: %s", strerror(-err));
	WRITE_ONCE(p->staged.state->exchanging, 1);
	kernel_wait_for_packets();
	return 0;
}

/* Whoever has this filter open opens what is NAME now. */
static void tell_readers(const struct filter *f)
{
	__sync_fetch_and_add(&f->state->serial, 1);
}

int live_exchange_undo(struct pair *p)
{
	int err = links_take_off(p->staged.name, p->name);

	if (err)
		return err;
	WRITE_ONCE(p->f.state->exchanging, 0);
	return pin_dir_remove_staging(p->name) ?: detach_finish();
}

/* Sets when the time of --for of NAME's program ends, if its record says so. */
static void begin_drops(const struct pair *p)
{
	if (!p->f.record->drop_until_ns)
		return;
	WRITE_ONCE(p->f.state->drop_until_ns, p->f.record->drop_until_ns);
	/* As the hand's next step will: it may be that of an earlier time. */
	WRITE_ONCE(p->f.state->counting, kernel_now_ns() >= p->f.record->drop_until_ns);
}

/* Raises the successor's limit as its hand will at its next step, which may be late. If the hand is
 * just stepping, it does that.
 */
static void give_room(struct pair *p)
{
	struct dedup_state *st = p->f.state;
	__u64 limit = READ_ONCE(st->limit), most = dedup_hand_limit(st, p->f.config);
	__u64 more = READ_ONCE(st->told) + dedup_room_of(p->staged.state, p->f.config);

	if (more > most)
		more = most;
	if (more > limit)
		__sync_bool_compare_and_swap(&st->limit, limit, more);
}

/* Step 4. The predecessor's `passed` is read once no packet learns into it any more. Step 1 has
 * seen the successor's hand step: before its first step it may learn nothing (predecessor.h).
 */
static void put_in_charge(struct pair *p)
{
	struct dedup_state *predecessor = p->staged.state;

	if (predecessor->successor != DEDUP_SUCCESSOR_IN_CHARGE)
		__sync_lock_test_and_set(&predecessor->successor, DEDUP_CHARGE_CHANGES);
	give_room(p);
	kernel_wait_for_packets();
	__sync_lock_test_and_set(&predecessor->successor, DEDUP_SUCCESSOR_IN_CHARGE);
	kernel_wait_for_packets();
	if (!predecessor->forgotten_at)
		WRITE_ONCE(predecessor->forgotten_at,
			   dedup_forgotten_at(predecessor, p->staged.config));
}

/* A filter has one predecessor at most: that of the one before has been given up, or has forgotten
 * every id.
 */
static int drop_older(const struct pair *p)
{
	int same, err = 0;

	if (!p->staged.config->has_predecessor)
		return 0;
	same = filter_same_predecessor(&p->f, &p->staged);
	err = same < 0 ? same : 0;
	if (!same)
		err = filter_drop_predecessor(&p->staged);
	return err ? diag_err(err, "cannot free the predecessor of %s: %s", p->name, strerror(-err))
		   : 0;
}

/* Step 5. No packet meets the program of +NAME any more. */
static int keep_what_was_counted(struct pair *p)
{
	int err = filter_keep_counters(&p->staged, &p->f);

	if (err)
		return diag_err(err, "cannot keep the counters of %s: %s", p->name, strerror(-err));
	return drop_older(p) ?: has_same_memory(p) ? loader_adopt_hand(p->name) : 0;
}

int live_exchange_complete(struct pair *p)
{
	int err, unattached;

	tell_readers(&p->staged);
	/* A program that drops for a time goes on with it, while the next one uses its state. */
	if (p->staged.config->policy.action != DEDUP_DROP_FOR || !has_same_memory(p))
		begin_drops(p);
	unattached = links_exchange(p, &err);
	if (err)
		return err;
	if (has_same_memory(p))
		kernel_wait_for_packets();
	else
		put_in_charge(p);
	err = keep_what_was_counted(p);
	if (err)
		return err;
	begin_drops(p);
	p->f.record->drop_until_ns = 0;
	unread_want(&p->staged, &p->f);
	tell_readers(&p->f);
	WRITE_ONCE(p->f.state->exchanging, 0);
	WRITE_ONCE(p->staged.state->exchanging, 0);
	return pin_dir_remove_staging(p->name) ?: detach_finish() ?: unattached;
}

/* Step 1. */
static int prepare_exchange(struct pair *p, const struct wanted_ifaces *ifaces, uint64_t drop_until_ns)
{
	int err = attachments_write_record(&p->staged, ifaces->list, ifaces->cnt, &p->f)
		  ?: loader_await_hand(&p->staged)
		  ?: links_prepare(p, ifaces)
		  ?: begin_exchange(p);

	if (!err)
		p->staged.record->drop_until_ns = drop_until_ns;
	return err;
}

/* Opens what NAME and +NAME are after their exchange. */
static int open_again(struct pair *p)
{
	const char *name = p->name;
	int err;

	pair_close(p);
	err = pair_open(name, p);
	return err ? loader_explain(name, err) : 0;
}

/* Steps 1 to 5. */
static int change(struct pair *p, const struct wanted_ifaces *ifaces, uint64_t drop_until_ns)
{
	int err = prepare_exchange(p, ifaces, drop_until_ns) ?: pin_dir_exchange(p->name);

	if (err) {
		live_exchange_undo(p);
		return err;
	}
	return open_again(p) || live_exchange_complete(p) ? LIVE_EXCHANGE_UNFINISHED : 0;
}

int live_exchange(const char *name, const struct wanted_ifaces *ifaces, uint64_t drop_until_ns)
{
	struct pair p;
	int err = pair_open(name, &p);

	if (err) {
		loader_explain(name, err);
		pin_dir_remove_staging(name); /* nothing runs it yet */
		return err;
	}
	err = change(&p, ifaces, drop_until_ns);
	pair_close(&p);
	return err;
}
