// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "handover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attachments.h"
#include "counters.h"
#include "here.h"
#include "kernel.h"
#include "live.h"
#include "loader.h"
#include "look_closely.h"
#include "pin_dirs.h"
#include "predecessor.h"
#include "receivers.h"
#include "say.h"
#include "stream_ids.h"
#include "unread.h"

/* A filter NAME and what is in +NAME, and where their programs run. */
struct pair {
	const char *name;
	struct filter f, beside;
	struct identity id, beside_id;
	struct attachment *list;
	int cnt;
};

static void close_pair(struct pair *p)
{
	filter_close(&p->f);
	filter_close(&p->beside);
	free(p->list);
	p->list = NULL;
}

/* 0, and the caller closes it; -errno, not said. */
static int open_pair(const char *name, struct pair *p)
{
	char beside[PATH_MAX];
	int err;

	pin_dir_beside(beside, name);
	*p = (struct pair){ .name = name };
	p->f.stats_fd = p->f.wanted_fd = p->beside.stats_fd = p->beside.wanted_fd = -1;
	err = filter_open(name, &p->f);
	if (!err)
		err = filter_open_beside(name, &p->beside);
	if (!err)
		err = filter_identity(name, &p->id);
	if (!err)
		err = filter_identity(beside, &p->beside_id);
	if (err)
		close_pair(p);
	return err;
}

static bool same_memory(const struct pair *p)
{
	return p->f.state_id == p->beside.state_id;
}

/* Is what is in +NAME older, as the two were exchanged? */
static bool is_committed(const struct pair *p)
{
	return (int32_t)(p->f.config->serial - p->beside.config->serial) > 0;
}

static bool runs(const struct attachment *a, struct identity id)
{
	return !a->err && a->id.config_id == id.config_id;
}

/* The attachment of a program with this identity to this interface; NULL if there is none. */
static const struct attachment *attached(const struct pair *p, int ifindex, struct identity id)
{
	for (int i = 0; i < p->cnt; i++)
		if (p->list[i].ifindex == ifindex && runs(&p->list[i], id))
			return &p->list[i];
	return NULL;
}

/* All of them, or an error: what is not known to run must not be taken for what does not run. */
static int list_attachments(struct pair *p)
{
	int err;

	free(p->list);
	p->list = NULL;
	err = attach_list(&p->list, &p->cnt);
	return err ? err : attach_say_unknown(p->list, p->cnt);
}

/* Writes the record of what is in +NAME. */
static int write_record(struct pair *p, const struct placement *where, bool begins_drops)
{
	struct dedup_record *r = p->beside.record;
	struct links links;
	int err = receivers_links(&links);

	if (err)
		return err;
	for (int i = 0; i < where->cnt && !err; i++) {
		err = attachments_make_entry(where->ifnames[i], &r->ifaces[i]);
		r->ifaces[i].mode = where->mode;
	}
	if (!err)
		receivers_refresh(&p->beside, &links);
	links_free(&links);
	r->begins_drops = begins_drops;
	return err;
}

/* For look_closely(). */
static int put_exchanging(struct filter *f, void *arg)
{
	(void)arg;
	WRITE_ONCE(f->state->exchanging, 1);
	return 0;
}

/* From now on packets may meet both programs. */
static int begin_exchange(struct pair *p)
{
	int err = filter_clear_handled(&p->f);

	if (!err)
		err = look_closely(&p->f, put_exchanging, NULL);
	if (err == -ESTALE)
		return say_err(err, "the window's clock of %s has stopped; unload and load it",
			       p->name);
	if (err)
		return say_err(err, "cannot begin the exchange: %s", strerror(-err));
	WRITE_ONCE(p->beside.state->exchanging, 1);
	kernel_wait_for_packets();
	return 0;
}

/* Does NAME's program take the place of that of +NAME anywhere, instead of running beside it? */
static const struct attachment *in_place(const struct pair *p, const struct dedup_iface *entry)
{
	const struct attachment *a = attached(p, (int)entry->ifindex, p->beside_id);

	return here_has(entry) && a && !a->dispatcher ? a : NULL;
}

/* The other interfaces of NAME's record that are here, where its program does not run: how many. */
static int missing(const struct pair *p, char names[][IF_NAMESIZE], enum attach_mode *modes)
{
	int cnt = 0;

	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct dedup_iface *entry = &p->f.record->ifaces[i];
		int ifindex = (int)entry->ifindex;
		const struct attachment *a = attached(p, ifindex, p->beside_id);

		if (!here_has(entry) || in_place(p, entry) || attached(p, ifindex, p->id) ||
		    !if_indextoname(entry->ifindex, names[cnt]))
			continue;
		modes[cnt++] = a ? a->mode : (enum attach_mode)entry->mode;
	}
	return cnt;
}

/* Attaches NAME's program there. */
static int attach_missing(struct pair *p, struct xdp_dedup *prog)
{
	char names[DEDUP_IFACES_MAX][IF_NAMESIZE], *list[DEDUP_IFACES_MAX];
	enum attach_mode modes[DEDUP_IFACES_MAX];
	int cnt = missing(p, names, modes);

	for (int i = 0; i < cnt; i++)
		list[i] = names[i];
	return cnt ? attach_each(prog, list, modes, cnt) : 0;
}

/* The program of a filter's directory, loaded: its descriptor, or -errno. The pin is that of a
 * program which runs already, or which handover() has loaded.
 */
static int open_program(const char *directory)
{
	char path[PATH_MAX];
	struct xdp_dedup *prog;
	int fd, err;

	pin_path(path, directory, PIN_PROG);
	fd = bpf_obj_get(path);
	if (fd >= 0 || errno != ENOENT)
		return fd >= 0 ? fd : say_err(-errno, "cannot open %s: %s", path, strerror(errno));
	err = *directory == *BESIDE ? loader_program_open_beside(directory + 1, &prog)
				    : loader_program_open(directory, &prog);
	if (err)
		return err;
	fd = attach_prog_fd(prog);
	err = fd < 0 ? fd : loader_pin_program(directory, fd);
	if (!err)
		fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (!err && fd < 0)
		err = say_err(-errno, "cannot keep the program open: %s", strerror(errno));
	loader_program_close(prog);
	return err ? err : fd;
}

/* Attaches NAME's program in the place of that of +NAME: where its record has the interface, and
 * that runs without a dispatcher.
 */
static int attach_instead(struct pair *p)
{
	int fd = -1, err = 0;

	for (int i = 0; i < DEDUP_IFACES_MAX && !err; i++) {
		const struct attachment *a = in_place(p, &p->f.record->ifaces[i]);

		if (!a)
			continue;
		if (fd < 0)
			fd = open_program(p->name);
		err = fd < 0 ? fd : attach_replace(a, fd);
	}
	if (fd >= 0)
		close(fd);
	return err;
}

/* The time of --for begins now. */
static void begin_drops(const struct pair *p)
{
	if (p->f.record->begins_drops)
		WRITE_ONCE(p->f.state->drop_until_ns, kernel_now_ns() + p->f.config->drop_ns);
}

/* Step 3. A program that has dropped for a time goes on with its own until the end. */
static int attach_new(struct pair *p)
{
	struct xdp_dedup *prog;
	fd_set before;
	int err = list_attachments(p);

	if (err)
		return err;
	if (p->beside.config->action != DEDUP_DROP_FOR)
		begin_drops(p);
	attach_note_fds(&before);
	err = loader_program_open(p->name, &prog);
	if (!err) {
		err = attach_missing(p, prog);
		loader_program_close(prog);
	}
	attach_close_other_fds(&before);
	return err ? err : attach_instead(p);
}

/* Detaches the program of +NAME. Where an interface of the filter cannot be seen from here, as it
 * is in another network namespace, the program must then be gone: as long as it runs, what the two
 * have between them has to stay.
 */
static int detach_beside(struct pair *p)
{
	int live, err = list_attachments(p);

	if (err)
		return err;
	for (int i = 0; i < p->cnt; i++)
		p->list[i].meant = runs(&p->list[i], p->beside_id);
	err = attach_detach_meant(p->list, p->cnt);
	if (err)
		return err;
	err = filter_unpin_program(&p->beside);
	if (err)
		return say_err(err, "cannot remove a pin of the program that %s had: %s", p->name,
			       strerror(-err));
	if (!attachments_unseen(&p->f) && !attachments_unseen(&p->beside))
		return 0;
	live = live_program_of(p->beside_id.config_id);
	if (live < 0)
		return say_err(live, "cannot look at the programs in the kernel: %s",
			       strerror(-live));
	if (live)
		return say_err(
			-EBUSY,
			"%s is being changed, and another of its programs is still in use, it may "
			"be in another network namespace: any change there ends that",
			p->name);
	return 0;
}

/* A change that is not committed, or no longer: NAME's program runs again where that of +NAME has
 * taken its place, and +NAME is removed.
 */
static int undo(struct pair *p)
{
	int err = list_attachments(p);

	if (!err)
		err = attach_instead(p);
	if (!err)
		err = detach_beside(p);
	if (err)
		return err;
	WRITE_ONCE(p->f.state->exchanging, 0);
	return pin_dir_remove_beside(p->name);
}

/* What the old program has counted goes on to be shown, by stream. What was counted in streams that
 * there are no more is lost; but a filter of one stream, and GSP/1 alone, keep all.
 */
static int keep_counters(const struct pair *p)
{
	const struct dedup_config *old = p->beside.config, *new = p->f.config;
	bool single = streams_cnt(old) == 1 && streams_cnt(new) == 1;
	int err = 0;

	for (__u32 n = 0; n < streams_cnt(new) && !err; n++) {
		int from = single ? 0 : stream_number(old, stream_name(new, n));

		if (from >= 0)
			err = filter_keep_counters(&p->beside, from, &p->f, n);
	}
	return err ? say_err(err, "cannot keep the counters of %s: %s", p->name, strerror(-err)) : 0;
}

/* Raises the successor's limit as its hand will at its next step, which may be late. If the hand is
 * just stepping, it does that.
 */
static void give_room(struct pair *p)
{
	struct dedup_state *st = p->f.state;
	__u64 limit = READ_ONCE(st->limit), most = dedup_hand_limit(st, p->f.config);
	__u64 more = READ_ONCE(st->told) + dedup_room_of(p->beside.state, p->f.config);

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
	struct dedup_state *before = p->beside.state;

	__sync_fetch_and_add(&before->serial, 1);
	if (before->successor != DEDUP_SUCCESSOR_IN_CHARGE)
		__sync_lock_test_and_set(&before->successor, DEDUP_CHARGE_CHANGES);
	give_room(p);
	kernel_wait_for_packets();
	__sync_lock_test_and_set(&before->successor, DEDUP_SUCCESSOR_IN_CHARGE);
	kernel_wait_for_packets();
	if (!before->forgotten_at)
		WRITE_ONCE(before->forgotten_at, dedup_forgotten_at(before, p->beside.config));
}

/* The predecessor of a filter of format 10. */
static void remove_10(const char *name)
{
	char directory[PATH_MAX];

	snprintf(directory, sizeof(directory), BEFORE_10 "%s", name);
	pin_dir_remove(directory);
}

/* A filter has one predecessor at most: that of the one before has been given up, or has forgotten
 * every id.
 */
static int drop_older(const struct pair *p)
{
	int same = filter_same_predecessor(&p->f, &p->beside), err = same < 0 ? same : 0;

	if (!same)
		err = filter_drop_predecessor(&p->beside);
	if (!same && p->beside.config->has_predecessor &&
	    p->beside.config->format < DEDUP_FORMAT_RECORD)
		remove_10(p->name);
	return err ? say_err(err, "cannot free the predecessor of %s: %s", p->name, strerror(-err))
		   : 0;
}

/* Pins NAME's program, whichever way it was loaded. */
static int pin_program(struct pair *p)
{
	int fd, err = list_attachments(p);

	for (int i = 0; i < p->cnt && !err; i++) {
		if (!runs(&p->list[i], p->id))
			continue;
		fd = bpf_prog_get_fd_by_id(p->list[i].id.prog_id);
		err = fd < 0 ? say_err(-errno, "cannot open the program of %s: %s", p->name,
				       strerror(errno))
			     : loader_pin_program(p->name, fd);
		if (fd >= 0)
			close(fd);
		break;
	}
	return err;
}

/* Steps 4 and 5. */
static int complete(struct pair *p)
{
	bool same = same_memory(p);
	int err;

	if (!same)
		put_in_charge(p);
	err = detach_beside(p);
	if (err)
		return err;
	kernel_wait_for_packets();
	err = keep_counters(p);
	if (!err)
		err = drop_older(p);
	if (!err && same)
		err = loader_adopt_hand(p->name);
	if (!err)
		err = pin_program(p);
	if (err)
		return err;
	begin_drops(p);
	p->f.record->begins_drops = 0;
	unread_want(&p->beside, &p->f);
	if (same)
		__sync_fetch_and_add(&p->f.state->serial, 1);
	WRITE_ONCE(p->f.state->exchanging, 0);
	WRITE_ONCE(p->beside.state->exchanging, 0);
	return pin_dir_remove_beside(p->name);
}

/* Step 1. In a dispatcher libxdp loads the program when it attaches it; else it is loaded here, as
 * what the kernel refuses had better be known before the commit.
 */
static int prepare(struct pair *p, const struct placement *where, bool begins_drops)
{
	char beside[PATH_MAX];
	int fd = 0, err = write_record(p, where, begins_drops);

	if (!err)
		err = list_attachments(p);
	for (int i = 0; i < p->cnt && !err; i++)
		if (runs(&p->list[i], p->id) && !p->list[i].dispatcher)
			fd = -1;
	if (!err && fd < 0) {
		pin_dir_beside(beside, p->name);
		fd = open_program(beside);
		err = fd < 0 ? fd : 0;
		if (fd >= 0)
			close(fd);
	}
	if (!err)
		err = loader_await_hand(&p->beside);
	return err ? err : begin_exchange(p);
}

/* Exchanges NAME and +NAME, which are then open as such. After an error neither is exchanged; or
 * they are, but not open: then the next command goes on.
 */
static int exchange(struct pair *p)
{
	const char *name = p->name;
	int err = pin_dir_exchange(name);

	if (err)
		return err;
	close_pair(p);
	err = open_pair(name, p);
	return err ? loader_explain(name, err) : 0;
}

/* Steps 1 to 5. */
static int change(struct pair *p, const struct placement *where, bool begins_drops)
{
	int err = prepare(p, where, begins_drops);

	if (!err)
		err = exchange(p);
	if (!err) {
		err = attach_new(p);
		if (!err)
			return complete(p);
		exchange(p);
	}
	if (p->f.config && !is_committed(p))
		undo(p);
	return err;
}

int handover(const char *name, const struct placement *where, bool begins_drops)
{
	struct pair p;
	int err = open_pair(name, &p);

	if (err) {
		loader_explain(name, err);
		pin_dir_remove_beside(name); /* nothing runs it yet */
		return err;
	}
	err = change(&p, where, begins_drops);
	close_pair(&p);
	return err;
}

/* Step 3 for whoever finds it not done. An interface on which neither program runs is given up, if
 * NAME's cannot be attached there: it may never be.
 */
static int attach_again(struct pair *p)
{
	char names[DEDUP_IFACES_MAX][IF_NAMESIZE];
	enum attach_mode modes[DEDUP_IFACES_MAX];
	int cnt, err = attach_new(p);

	if (!err || list_attachments(p))
		return err;
	cnt = missing(p, names, modes);
	for (int i = 0; i < cnt; i++) {
		struct dedup_iface *entry = attachments_recorded(&p->f, names[i]);

		if (!entry || attached(p, (int)entry->ifindex, p->beside_id))
			continue;
		*entry = (struct dedup_iface){ 0 };
		say_note("%s does not run on %s, where a change that was cut off was to put it",
			 p->name, names[i]);
	}
	return attach_new(p);
}

static bool has_here(const struct filter *f)
{
	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (here_has(&f->record->ifaces[i]))
			return true;
	return false;
}

/* Are the interfaces, and so the programs, in another network namespace? Where the program of +NAME
 * is gone, as the kernel frees it with the last interface, there is nothing to do there.
 */
static bool is_elsewhere(const struct pair *p)
{
	return !has_here(&p->f) && !has_here(&p->beside) &&
	       (filter_unpin_program(&p->beside) || live_program_now(p->beside_id.config_id));
}

/* Is +NAME, which cannot be opened, one of this version that lacks pins? */
static bool is_incomplete(const char *name, int err)
{
	char beside[PATH_MAX];
	int format;

	pin_dir_beside(beside, name);
	format = filter_format(beside);
	return err == -EPROTO &&
	       (!format || (format >= DEDUP_FORMAT_OLDEST && format <= DEDUP_FORMAT));
}

/* Ends what was begun with +NAME. */
static void settle(const char *name)
{
	struct filter f;
	struct pair p;
	int err = filter_open(name, &f);

	if (err == -ENOENT) {
		pin_dir_remove_beside(name);
		return;
	}
	if (!err) {
		err = open_pair(name, &p);
		if (is_incomplete(name, err) && !pin_dir_remove_beside(name)) {
			WRITE_ONCE(f.state->exchanging, 0);
			err = -ENOENT;
		}
		filter_close(&f);
	}
	if (err) {
		if (err != -ENOENT)
			say_err(err, "cannot look at what is beside %s: %s", name, strerror(-err));
		return;
	}
	if (is_elsewhere(&p)) {
		close_pair(&p);
		return;
	}
	if (!is_committed(&p))
		undo(&p);
	else if (!attach_again(&p))
		complete(&p);
	close_pair(&p);
}

/* Removes the predecessor of the filter if it has forgotten every id. */
static void settle_predecessor(const char *name)
{
	struct filter f;
	int err;

	if (filter_open(name, &f))
		return;
	err = filter_open_before(&f);
	if (!err && f.before && dedup_is_forgotten(f.before->state)) {
		err = filter_drop_predecessor(&f);
		if (!err && f.config->format < DEDUP_FORMAT_RECORD)
			remove_10(name);
	}
	if (err)
		say_err(err, "cannot free the predecessor of %s: %s", name, strerror(-err));
	filter_close(&f);
}

/* What is the predecessor of no filter of format 10 is of no use. */
static void settle_10(const char *name)
{
	struct filter f;
	int err = filter_open(name, &f);
	bool has = !err && f.config->format < DEDUP_FORMAT_RECORD && f.config->has_predecessor;

	if (!err)
		filter_close(&f);
	if (err == -ENOENT || (!err && !has))
		remove_10(name);
}

/* For scandir(). Versions with format 10 made filters in "+". */
static int is_beside(const struct dirent *entry)
{
	const char *name = entry->d_name + 1;

	return (entry->d_name[0] == *BESIDE && (!*name || filter_name_ok(name))) ||
	       (entry->d_name[0] == *BEFORE_10 && filter_name_ok(name));
}

void handover_settle(void)
{
	struct dirent **found;
	int cnt = scandir(PIN_ROOT, &found, is_beside, alphasort);
	char **names;

	for (int i = 0; i < cnt; i++) {
		const char *name = found[i]->d_name + 1;

		if (found[i]->d_name[0] == *BESIDE)
			settle(name);
		else
			settle_10(name);
		free(found[i]);
	}
	if (cnt >= 0)
		free(found);
	if (loader_names(&names))
		return;
	for (char **n = names; *n; n++)
		settle_predecessor(*n);
	loader_free_names(names);
}
