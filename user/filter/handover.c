// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "handover.h"

#include <dirent.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "attachments.h"
#include "counters.h"
#include "delivery.h"
#include "here.h"
#include "kernel.h"
#include "live.h"
#include "loader.h"
#include "look_closely.h"
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
	char beside[sizeof(p->f.name)];
	int err;

	snprintf(beside, sizeof(beside), BESIDE "%s", name);
	*p = (struct pair){ .name = name };
	p->f.stats_fd = p->f.wanted_fd = p->beside.stats_fd = p->beside.wanted_fd = -1;
	err = filter_open(name, &p->f);
	if (!err)
		err = filter_open_prefixed(BESIDE, name, &p->beside);
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

/* Is what is in +NAME newer, so that the two were not exchanged? */
static bool is_pending(const struct pair *p)
{
	return (int32_t)(p->beside.config->serial - p->f.config->serial) > 0;
}

static bool runs(const struct attachment *a, struct identity id)
{
	return !a->err && a->id.config_id == id.config_id;
}

/* For look_closely(). */
static int put_exchanging(struct filter *f, void *arg)
{
	(void)arg;
	WRITE_ONCE(f->state->exchanging, 1);
	return 0;
}

/* Step 2. */
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

/* The attachment of a program with this identity to this interface; NULL if there is none. */
static const struct attachment *attached(const struct pair *p, int ifindex, struct identity id)
{
	for (int i = 0; i < p->cnt; i++)
		if (p->list[i].ifindex == ifindex && runs(&p->list[i], id))
			return &p->list[i];
	return NULL;
}

/* Step 3 on the interfaces where the program is attached beside what runs there, or alone. */
static int attach_beside(const struct pair *p, const struct placement *where, int *prog_fd)
{
	enum attach_mode modes[DEDUP_IFACES_MAX];
	char *names[DEDUP_IFACES_MAX];
	struct xdp_dedup *prog;
	int cnt = 0, err;

	for (int i = 0; i < where->cnt; i++) {
		const struct attachment *a = attached(p, if_nametoindex(where->ifnames[i]), p->id);

		if (a && !a->dispatcher)
			continue;
		names[cnt] = where->ifnames[i];
		modes[cnt++] = a ? a->mode : where->mode;
	}
	if (!cnt)
		return 0;
	err = loader_program_open_beside(p->name, &prog);
	if (err)
		return err;
	err = loader_await_hand(&p->beside);
	if (!err)
		err = attach_each(prog, names, modes, cnt);
	if (!err)
		*prog_fd = dup(attach_prog_fd(prog));
	loader_program_close(prog);
	return err;
}

/* Loads the program that is to take others' places, and sees its clock run. Its descriptor, which
 * belongs to *prog, or -errno. The caller closes *prog in any case, unless it is NULL.
 */
static int load_instead(const struct pair *p, struct xdp_dedup **prog)
{
	int err = loader_program_open_beside(p->name, prog), fd;

	if (err)
		return err;
	fd = attach_prog_fd(*prog);
	err = fd < 0 ? fd : loader_await_hand(&p->beside);
	return err ? err : fd;
}

/* Step 3 on the others: in the old program's place. */
static int attach_instead(const struct pair *p, const struct placement *where, int *prog_fd)
{
	struct xdp_dedup *prog = NULL;
	int fd = -1, err = 0;

	for (int i = 0; i < where->cnt && !err; i++) {
		const struct attachment *a = attached(p, if_nametoindex(where->ifnames[i]), p->id);

		if (!a || a->dispatcher)
			continue;
		if (!prog) {
			fd = load_instead(p, &prog);
			err = fd < 0 ? fd : 0;
		}
		if (!err)
			err = attach_replace(a, fd);
	}
	if (!err && prog && *prog_fd < 0)
		*prog_fd = dup(fd);
	if (prog)
		loader_program_close(prog);
	return err;
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

/* Detaches all programs with this identity. */
static int detach_all(struct pair *p, struct identity id)
{
	int err = list_attachments(p);

	if (err)
		return err;
	for (int i = 0; i < p->cnt; i++)
		p->list[i].meant = runs(&p->list[i], id);
	return attach_detach_meant(p->list, p->cnt);
}

/* Detaches the program of +NAME. Where an interface of the filter cannot be seen from here, as it
 * is in another network namespace, the program must then be gone: as long as it runs, what the two
 * have between them has to stay.
 */
static int end_beside(struct pair *p)
{
	int live, err = detach_all(p, p->beside_id);

	if (!err) {
		err = filter_unpin_program(&p->beside);
		if (err)
			say_err(err, "cannot remove a pin of the program that %s had: %s", p->name,
				strerror(-err));
	}
	if (err || !(attachments_unseen(&p->f) || attachments_unseen(&p->beside)))
		return err;
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

/* In the record are then the interfaces on which NAME's program runs, and those that cannot be seen
 * from here; and NAME's idea of which frames are for this host is up to date.
 */
static int tidy_record(struct pair *p)
{
	struct dedup_iface *ifaces = p->f.state->ifaces;
	struct links links;
	int err = list_attachments(p);

	if (err)
		return err;
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		char name[IF_NAMESIZE];

		if (here_has(&ifaces[i]) && if_indextoname(ifaces[i].ifindex, name) &&
		    !attached(p, ifaces[i].ifindex, p->id))
			ifaces[i] = (struct dedup_iface){ 0 };
		ifaces[i].joining = 0;
	}
	if (receivers_links(&links))
		return 0; /* said; `refresh` can do it later */
	receivers_refresh(&p->f, &links);
	links_free(&links);
	return 0;
}

/* Is the interface one that is only to be added? */
static bool is_joining(const struct pair *p, const char *ifname)
{
	const struct dedup_iface *entry = attachments_recorded(&p->beside, ifname);

	return entry && entry->joining;
}

/* Undoes steps 1 to 3: NAME's own program runs again where it ran. */
static int undo(struct pair *p)
{
	int err = list_attachments(p), fd = -1;

	/* Where the new one is in the old one's place, that comes back. */
	for (int i = 0; i < p->cnt && !err; i++) {
		const struct attachment *a = &p->list[i];

		if (!runs(a, p->beside_id) || a->dispatcher || is_joining(p, a->ifname))
			continue;
		if (fd < 0)
			fd = bpf_prog_get_fd_by_id(p->id.prog_id);
		err = fd < 0 ? -errno : attach_replace(a, fd);
	}
	if (fd >= 0)
		close(fd);
	if (!err)
		err = end_beside(p);
	if (!err)
		err = tidy_record(p);
	if (err)
		return err;
	WRITE_ONCE(p->f.state->exchanging, 0);
	return loader_remove_prefixed(BESIDE, p->name);
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

/* Step 5. The predecessor's `passed` is read once no packet learns into it any more. Step 3 has
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

/* Steps 5 to 7. */
static int complete(struct pair *p)
{
	bool same = same_memory(p);
	int err;

	if (!same)
		put_in_charge(p);
	err = end_beside(p);
	if (err)
		return err;
	kernel_wait_for_packets();
	if (p->beside.config->deliver && !p->f.config->deliver)
		delivery_end(&p->beside);
	err = keep_counters(p);
	if (!err && same)
		err = loader_adopt_hand(p->name);
	if (!err)
		err = tidy_record(p);
	if (err)
		return err;
	unread_want(&p->beside, &p->f);
	if (same)
		__sync_fetch_and_add(&p->f.state->serial, 1);
	WRITE_ONCE(p->f.state->exchanging, 0);
	if (same)
		return loader_remove_prefixed(BESIDE, p->name);
	WRITE_ONCE(p->beside.state->exchanging, 0);
	return loader_keep_predecessor(p->name);
}

/* The entry of this interface in the record, or an unused one; NULL if there is none. */
static struct dedup_iface *entry_for(struct filter *f, const char *ifname)
{
	struct dedup_iface *entry = attachments_recorded(f, ifname);

	for (int i = 0; i < DEDUP_IFACES_MAX && !entry; i++)
		if (!f->state->ifaces[i].ifindex)
			entry = &f->state->ifaces[i];
	return entry;
}

/* Adds the interfaces to the new program's record, which may be the old one's, too: those that it
 * leaves are taken out at the end (tidy_record()). Until then both programs must know their frames.
 */
static int record(struct pair *p, const struct placement *where, const struct links *links)
{
	uint64_t own_mac = p->f.state->own_mac;
	int err = 0;

	for (int i = 0; i < where->cnt && !err; i++) {
		const char *ifname = where->ifnames[i];
		struct dedup_iface *entry = entry_for(&p->beside, ifname);

		if (!entry)
			return say_err(-E2BIG, "at most %d interfaces in all, those that go included",
				       DEDUP_IFACES_MAX);
		err = attachments_make_entry(ifname, entry);
		entry->joining = !attached(p, if_nametoindex(ifname), p->id);
	}
	if (err)
		return err;
	receivers_refresh(&p->beside, links);
	if (same_memory(p))
		WRITE_ONCE(p->f.state->own_mac, own_mac);
	return 0;
}

/* Steps 2 to 4. */
static int exchange(struct pair *p, const struct placement *where, const struct links *links)
{
	int prog_fd = -1, err = list_attachments(p);
	char beside[sizeof(p->f.name)];

	snprintf(beside, sizeof(beside), BESIDE "%s", p->name);
	if (!err)
		err = begin_exchange(p);
	if (!err)
		err = record(p, where, links);
	if (!err)
		err = attach_beside(p, where, &prog_fd);
	if (!err)
		err = attach_instead(p, where, &prog_fd);
	if (!err)
		err = loader_pin_program(beside, prog_fd);
	if (!err)
		err = loader_swap(p->name);
	if (prog_fd >= 0)
		close(prog_fd);
	return err;
}

int handover(const char *name, const struct placement *where)
{
	struct links links;
	struct pair p;
	fd_set before;
	int err, end;

	attach_note_fds(&before);
	err = open_pair(name, &p);
	if (err) {
		loader_explain(name, err);
		loader_remove_prefixed(BESIDE, name); /* nothing runs it yet */
		return err;
	}
	err = receivers_links(&links);
	if (!err) {
		err = exchange(&p, where, &links);
		links_free(&links);
	}
	close_pair(&p);
	attach_close_other_fds(&before);
	end = open_pair(name, &p);
	if (end)
		return err ? err : loader_explain(name, end);
	end = err ? undo(&p) : complete(&p);
	close_pair(&p);
	return err ? err : end;
}

int handover_forget(const char *name)
{
	struct filter f;
	int err = loader_open_or_say(name, &f);

	if (err)
		return err;
	err = filter_drop_predecessor(&f);
	filter_close(&f);
	if (err)
		return say_err(err, "cannot free the predecessor of %s: %s", name, strerror(-err));
	return loader_remove_prefixed(BEFORE, name);
}

/* What is beside no filter, or before none, is of no use: it is removed, and true. */
static bool remove_if_alone(const char *prefix, const char *name)
{
	struct filter f;
	int err = filter_open(name, &f);

	if (!err)
		filter_close(&f);
	if (err != -ENOENT)
		return false;
	loader_remove_prefixed(prefix, name);
	return true;
}

static void settle_beside(const char *name)
{
	struct pair p;
	int err;

	if (remove_if_alone(BESIDE, name))
		return;
	err = open_pair(name, &p);
	if (err) {
		say_err(err, "cannot look at what is beside %s: %s", name, strerror(-err));
		return;
	}
	if (is_pending(&p))
		undo(&p);
	else
		complete(&p);
	close_pair(&p);
}

void handover_settle_before(const char *name)
{
	struct filter f, before;
	bool over;

	if (remove_if_alone(BEFORE, name) || filter_open(name, &f))
		return;
	over = !f.config->has_predecessor;
	filter_close(&f);
	if (over) { /* of an image that was to become it */
		loader_remove_prefixed(BEFORE, name);
		return;
	}
	if (filter_open_prefixed(BEFORE, name, &before))
		return;
	over = dedup_is_forgotten(before.state);
	filter_close(&before);
	if (over)
		handover_forget(name);
}

/* For scandir(). */
static int is_prefixed(const struct dirent *entry)
{
	return (entry->d_name[0] == *BESIDE || entry->d_name[0] == *BEFORE) &&
	       filter_name_ok(entry->d_name + 1);
}

void handover_settle(void)
{
	struct dirent **found;
	int cnt = scandir(PIN_ROOT, &found, is_prefixed, alphasort);

	for (int i = 0; i < cnt; i++) {
		if (found[i]->d_name[0] == *BESIDE)
			settle_beside(found[i]->d_name + 1);
		else
			handover_settle_before(found[i]->d_name + 1);
		free(found[i]);
	}
	if (cnt >= 0)
		free(found);
}

int handover_has_predecessor(const char *name)
{
	struct filter f;
	int err = filter_open_prefixed(BEFORE, name, &f);

	if (err)
		return err == -ENOENT ? 0 : err;
	filter_close(&f);
	return 1;
}
