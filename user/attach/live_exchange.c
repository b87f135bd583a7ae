// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "live_exchange.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attachments.h"
#include "detach.h"
#include "diag.h"
#include "dirs.h"
#include "kernel.h"
#include "links_exchange.h"
#include "loader.h"
#include "open.h"
#include "pin_dirs.h"
#include "predecessor.h"
#include "slow_path_reason.h"
#include "start.h"
#include "totals.h"
#include "unread.h"

static void pair_begin(const char *name, struct pair *p)
{
	*p = (struct pair){ .name = name };
	p->f.stats_fd = p->f.wanted_fd = p->staged.stats_fd = p->staged.wanted_fd = -1;
}

static void pair_close(struct pair *p)
{
	filter_close(&p->f);
	filter_close(&p->staged);
}

/* Opens both. Returns 0, and the caller closes *p with pair_close(); or -errno (not logged). */
static int pair_open(const char *name, struct pair *p)
{
	int err;

	pair_begin(name, p);
	err = filter_open(name, &p->f) ?: filter_open_staged(name, &p->staged);
	if (err)
		pair_close(p);
	return err;
}

/* Do the programs of NAME and +NAME share one memory? */
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

/* Sends packets through the slow path until the change ends: the next program may have a
 * predecessor that the hand does not know before it has the next configuration.
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

/* Makes processes that have this filter open reopen NAME. */
static void notify_readers(const struct filter *f)
{
	__sync_fetch_and_add(&f->state->serial, 1);
}

/* Undoes a change that is not committed. Returns 0, or -errno (logged). */
static int undo(struct pair *p)
{
	int err = links_begin_detach(p->staged.name, p->name);

	if (err)
		return err;
	WRITE_ONCE(p->f.state->exchanging, 0);
	return pin_dir_remove_staging(p->name) ?: detach_finish();
}

/* Copies the end of --for from NAME's record to its state, if the record has one. */
static void begin_drops(const struct pair *p)
{
	if (!p->f.record->drop_until_ns)
		return;
	WRITE_ONCE(p->f.state->drop_until_ns, p->f.record->drop_until_ns);
	/* The hand sets it only at its next step; until then it could be that of an earlier --for. */
	WRITE_ONCE(p->f.state->counting, kernel_now_ns() >= p->f.record->drop_until_ns);
}

/* Raises the successor's limit at once, as its hand's next step may be late. If the hand steps at
 * this moment, the hand raises it.
 */
static void raise_limit(struct pair *p)
{
	struct dedup_state *st = p->f.state;
	__u64 limit = READ_ONCE(st->limit), most = dedup_hand_limit(st, p->f.config);
	__u64 more = READ_ONCE(st->reported) + dedup_room_of(p->staged.state, p->f.config);

	if (more > most)
		more = most;
	if (more > limit)
		__sync_bool_compare_and_swap(&st->limit, limit, more);
}

/* Does step 4. Reads the predecessor's `passed` after the last packet has learned into it. The
 * successor may learn only after its hand's first step (predecessor.h), which step 1 has awaited.
 */
static void put_in_charge(struct pair *p)
{
	struct dedup_state *predecessor = p->staged.state;

	if (predecessor->successor != DEDUP_SUCCESSOR_IN_CHARGE)
		__sync_lock_test_and_set(&predecessor->successor, DEDUP_CHARGE_CHANGES);
	raise_limit(p);
	kernel_wait_for_packets();
	__sync_lock_test_and_set(&predecessor->successor, DEDUP_SUCCESSOR_IN_CHARGE);
	kernel_wait_for_packets();
	if (!predecessor->forgotten_at)
		WRITE_ONCE(predecessor->forgotten_at,
			   dedup_forgotten_at(predecessor, p->staged.config));
}

/* Frees the predecessor of +NAME, unless NAME has it, too. A filter has at most one predecessor; an
 * older one has been given up, or has forgotten every id.
 */
static int drop_older_predecessor(const struct pair *p)
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

/* Does step 5, except for removing +NAME. No packet runs the program of +NAME any more. */
static int keep_counters(struct pair *p)
{
	int err = filter_keep_counters(&p->staged, &p->f);

	if (err)
		return diag_err(err, "cannot keep the counters of %s: %s", p->name, strerror(-err));
	return drop_older_predecessor(p) ?: has_same_memory(p) ? loader_adopt_hand(p->name) : 0;
}

/* Does steps 3 to 5. Returns 0, or -errno (logged). */
static int complete(struct pair *p)
{
	int err, unattached;

	notify_readers(&p->staged);
	/* An old program with --for keeps its end time while both programs use one state. */
	if (p->staged.config->policy.action != DEDUP_DROP_FOR || !has_same_memory(p))
		begin_drops(p);
	unattached = links_exchange(p, &err);
	if (err)
		return err;
	if (has_same_memory(p))
		kernel_wait_for_packets();
	else
		put_in_charge(p);
	err = keep_counters(p);
	if (err)
		return err;
	begin_drops(p);
	p->f.record->drop_until_ns = 0;
	unread_want(&p->staged, &p->f);
	notify_readers(&p->f);
	WRITE_ONCE(p->f.state->exchanging, 0);
	WRITE_ONCE(p->staged.state->exchanging, 0);
	return pin_dir_remove_staging(p->name) ?: detach_finish() ?: unattached;
}

/* Does the rest of step 1, after +NAME was made. */
static int prepare_exchange(struct pair *p, const struct requested_ifaces *ifaces,
			    uint64_t drop_until_ns)
{
	int err = attachments_write_record(&p->staged, ifaces->list, ifaces->cnt, &p->f)
		  ?: loader_await_hand(&p->staged, READ_ONCE(p->staged.state->last_ns))
		  ?: links_prepare(p, ifaces)
		  ?: begin_exchange(p);

	if (err)
		return err;
	p->staged.record->drop_until_ns = drop_until_ns;
	p->staged.record->losses = p->f.record->losses;
	return 0;
}

/* Steps 1 to 5. */
static int change(struct pair *p, const struct requested_ifaces *ifaces, uint64_t drop_until_ns)
{
	int err = prepare_exchange(p, ifaces, drop_until_ns) ?: pin_dir_exchange(p->name);

	if (err) {
		undo(p);
		return err;
	}
	pair_close(p);
	err = pair_open(p->name, p);
	if (err)
		loader_explain(p->name, err);
	return err || complete(p) ? LIVE_EXCHANGE_UNFINISHED : 0;
}

int live_exchange(const char *name, const struct requested_ifaces *ifaces, uint64_t drop_until_ns)
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

/* Opens +NAME beside the open NAME. Returns -ENOENT also if +NAME was incomplete, and is removed;
 * or if +NAME is of another version, which alone can complete that change: pin_dir_begin() logs it.
 */
static int open_staged(struct pair *p)
{
	int format, err = filter_open_staged(p->name, &p->staged);

	if (err != -EPROTO)
		return err;
	format = filter_format(PIN_STAGING(p->name));
	if (format < 0)
		return format;
	if (format && (format < DEDUP_FORMAT_OLDEST || format > DEDUP_FORMAT))
		return -ENOENT;
	err = filter_stop_staging(p->name);
	if (err)
		return err;
	WRITE_ONCE(p->f.state->exchanging, 0);
	return -ENOENT;
}

/* Completes or undoes the change of one filter. An unreadable NAME (-EPROTO) is not logged: the
 * commands that use this filter log it.
 */
static void recover(const char *name)
{
	struct pair p;
	int err;

	pair_begin(name, &p);
	err = filter_open(name, &p.f);
	if (err == -ENOENT) {
		filter_stop_staging(name);
		return;
	}
	err = err ?: open_staged(&p);
	if (err && err != -ENOENT && err != -EPROTO)
		diag_err(err, "cannot look at what is beside %s: %s", name, strerror(-err));
	if (!err && filter_is_later(&p.f, &p.staged))
		complete(&p);
	else if (!err)
		undo(&p);
	pair_close(&p);
}

static bool has_predecessor_pin(const char *name)
{
	return path_exists(PIN_PATH(name, PINS[PIN_PREDECESSOR_STATE])) > 0;
}

/* Removes the predecessor of the filter, if it has forgotten every id, or if it cannot be opened
 * because its removal (filter_drop_predecessor()) was cut off.
 */
static void recover_predecessor(const char *name)
{
	struct filter f;
	int err;

	if (!has_predecessor_pin(name) || filter_open(name, &f))
		return;
	err = filter_open_predecessor(&f);
	if (!err &&
	    (f.predecessor ? dedup_is_forgotten(f.predecessor->state) : has_predecessor_pin(name)))
		err = filter_drop_predecessor(&f);
	if (err)
		diag_err(err, "cannot free the predecessor of %s: %s", name, strerror(-err));
	filter_close(&f);
}

/* For scandir(): is the entry a +NAME? */
static int is_staging(const struct dirent *entry)
{
	return entry->d_name[0] == *STAGING && filter_name_ok(entry->d_name + 1);
}

void live_exchange_recover(void)
{
	struct dirent **found;
	int cnt = scandir(PIN_ROOT, &found, is_staging, alphasort);
	char **names;

	for (int i = 0; i < cnt; i++) {
		recover(found[i]->d_name + 1);
		free(found[i]);
	}
	if (cnt >= 0)
		free(found);
	if (loader_find_names(&names))
		return;
	for (char **n = names; *n; n++)
		recover_predecessor(*n);
	loader_free_names(names);
}
