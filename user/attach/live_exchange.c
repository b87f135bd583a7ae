// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "live_exchange.h"

#include <errno.h>
#include <string.h>

#include "attachments.h"
#include "detach.h"
#include "diag.h"
#include "kernel.h"
#include "loader.h"
#include "slow_path_reason.h"
#include "maps.h"
#include "open_filter.h"
#include "pair.h"
#include "pin_dirs.h"
#include "predecessor.h"
#include "totals.h"
#include "unread.h"

/* For slow_path_put_reason(). */
static int put_exchanging(struct filter *f, void *arg)
{
	(void)arg;
	WRITE_ONCE(f->state->exchanging, 1);
	return 0;
}

/* From now on packets may meet both programs. */
static int begin_exchange(struct pair *p)
{
	int err = filter_clear_judged(&p->f) ?: slow_path_put_reason(&p->f, put_exchanging, NULL);

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
	int err = pair_list(p) ?: pair_attach_instead(p) ?: pair_detach_staged(p);

	if (err)
		return err;
	kernel_wait_for_packets(); /* the program that goes on judges none that both have seen */
	tell_readers(&p->staged);
	WRITE_ONCE(p->f.state->exchanging, 0);
	return pin_dir_remove_staging(p->name) ?: detach_finish();
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

int live_exchange_complete(struct pair *p)
{
	bool same = pair_same_memory(p);
	int err;

	tell_readers(&p->staged);
	if (!same)
		put_in_charge(p);
	err = pair_detach_staged(p);
	if (err)
		return err;
	kernel_wait_for_packets();
	err = filter_keep_counters(&p->staged, &p->f);
	if (err)
		return diag_err(err, "cannot keep the counters of %s: %s", p->name, strerror(-err));
	err = drop_older(p);
	if (!err && same)
		err = loader_adopt_hand(p->name);
	if (!err)
		err = pair_pin_program(p);
	if (err)
		return err;
	pair_begin_drops(p);
	p->f.record->drop_until_ns = 0;
	unread_want(&p->staged, &p->f);
	tell_readers(&p->f);
	WRITE_ONCE(p->f.state->exchanging, 0);
	WRITE_ONCE(p->staged.state->exchanging, 0);
	return pin_dir_remove_staging(p->name) ?: detach_finish();
}

/* Step 1. */
static int prepare_exchange(struct pair *p, const struct placement *where, uint64_t drop_until_ns)
{
	int err = attachments_write_record(&p->staged, where)
		  ?: loader_await_hand(&p->staged)
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

/* Exchanges NAME and +NAME back, after this error behind the commit. If they cannot be exchanged,
 * or opened, the next command goes on.
 */
static int exchange_back(struct pair *p, int err)
{
	if (pin_dir_exchange(p->name))
		return LIVE_EXCHANGE_UNFINISHED;
	if (!open_again(p))
		live_exchange_undo(p);
	return err;
}

/* Steps 1 to 5. */
static int change(struct pair *p, const struct placement *where, uint64_t drop_until_ns)
{
	int err = prepare_exchange(p, where, drop_until_ns) ?: pin_dir_exchange(p->name);

	if (err) {
		live_exchange_undo(p);
		return err;
	}
	err = open_again(p) ?: pair_attach_new(p);
	if (err)
		return exchange_back(p, err);
	return live_exchange_complete(p) ? LIVE_EXCHANGE_UNFINISHED : 0;
}

int live_exchange(const char *name, const struct placement *where, uint64_t drop_until_ns)
{
	struct pair p;
	int err = pair_open(name, &p);

	if (err) {
		loader_explain(name, err);
		pin_dir_remove_staging(name); /* nothing runs it yet */
		return err;
	}
	err = change(&p, where, drop_until_ns);
	pair_close(&p);
	return err;
}
