// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "reconcile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "attachments.h"
#include "diag.h"
#include "open.h"
#include "text.h"

static struct reconciled *find_reconciled(const struct reconcile *k, const char *name)
{
	for (int i = 0; i < k->cnt; i++)
		if (!strcmp(k->list[i].name, name))
			return &k->list[i];
	return NULL;
}

/* Is there none yet, it is put there. The list has room. */
static void want(struct reconcile *k, const char *name)
{
	struct reconciled *f = find_reconciled(k, name);

	if (!f) {
		f = &k->list[k->cnt++];
		*f = (struct reconciled){ 0 };
		snprintf(f->name, sizeof(f->name), "%s", name);
	}
	f->leaves = false;
	f->todo = JOB_ENSURE | (f->is_anew ? JOB_INTERFACES : 0);
	f->failed = 0;
	f->retry_in_ns = f->retry_at_ns = 0;
}

int reconcile_configure(struct reconcile *k, struct config_file *config)
{
	struct reconciled *more = reallocarray(k->list, k->cnt + config->cnt + 1, sizeof(*more));

	if (!more)
		return diag_err(-ENOMEM, "out of memory");
	k->list = more;
	for (int i = 0; i < k->cnt; i++) {
		k->list[i].leaves = true;
		k->list[i].todo = JOB_UNLOAD;
		/* What failed is not in the file any more. */
		k->list[i].failed = 0;
		k->list[i].retry_in_ns = k->list[i].retry_at_ns = 0;
	}
	for (int i = 0; i < config->cnt; i++)
		want(k, config->filters[i].name);
	config_free(&k->config);
	k->config = *config;
	*config = (struct config_file){ 0 };
	reconcile_look(k);
	for (int i = 0; i < k->cnt && k->look; i++) /* they are by places in the old file */
		memset(k->list[i].ifindices, 0, sizeof(k->list[i].ifindices));
	return 0;
}

/* Looks at the interfaces of one filter, if it is in the file: one that has come is to run it.
 * Returns whether any has changed.
 */
static bool look_at_interfaces_of(struct reconcile *k, struct reconciled *f)
{
	const struct config_filter *wanted = config_find(&k->config, f->name);
	bool came = false, changed = false;

	for (int i = 0; wanted && i < wanted->wish.where.cnt; i++) {
		uint32_t index = link_events_index(&k->links, wanted->wish.where.ifnames[i]);

		if (index && index != f->ifindices[i]) {
			f->came |= 1U << i;
			came = true;
		}
		changed |= index != f->ifindices[i];
		f->ifindices[i] = index;
	}
	if (!came)
		return changed;
	f->todo |= f->failed | (f->is_up ? JOB_INTERFACES : JOB_ENSURE);
	f->retry_at_ns = 0;
	return true;
}

bool reconcile_look(struct reconcile *k)
{
	bool changed, ours = false;

	if (k->ending)
		return false;
	k->look = link_events_look(&k->links, &changed);
	k->look_at_ns = 0;
	if (k->look)
		return true;
	k->refresh |= changed && !(k->readings && readings_agree(k->readings, &k->links.now));
	for (int i = 0; i < k->cnt; i++)
		ours |= look_at_interfaces_of(k, &k->list[i]);
	return ours;
}

bool reconcile_attach_anew(struct reconcile *k, const char *name, uint64_t now_ns)
{
	struct reconciled *f = find_reconciled(k, name);

	if (!f || f->leaves || k->ending || (f->anew_ns && now_ns < f->anew_ns + RECONCILE_ANEW_NS))
		return false;
	f->anew_ns = now_ns;
	f->is_anew = true;
	f->todo |= JOB_INTERFACES;
	diag_note("%s: is attached anew, as a driver has lost the program", name);
	return true;
}

/* Does a save run, or is one to run without waiting for a retry? */
static bool is_saving(const struct reconcile *k)
{
	for (int i = 0; i < k->cnt; i++)
		if (k->list[i].todo & JOB_SAVE && !k->list[i].retry_at_ns)
			return true;
	return k->running && k->job == JOB_SAVE;
}

void reconcile_save(struct reconcile *k)
{
	if (k->ending || is_saving(k))
		return;
	for (int i = 0; i < k->cnt; i++)
		if (!k->list[i].leaves)
			k->list[i].todo |= JOB_SAVE;
}

void reconcile_end(struct reconcile *k)
{
	k->ending = true;
	k->refresh = k->look = false;
	for (int i = 0; i < k->cnt; i++) {
		struct reconciled *f = &k->list[i];

		if (f->leaves) /* one more try */
			f->todo |= f->failed;
		else
			f->todo = (k->config.save ? JOB_SAVE : 0) |
				  (k->config.unload ? JOB_UNLOAD : 0);
		f->failed = 0;
		f->retry_in_ns = f->retry_at_ns = 0;
	}
}

/* 0; or -errno (logged): it is still to be done. */
static int start_job(struct reconcile *k, const struct job_order *order)
{
	pid_t pid = (k->start ?: job_start)(order);

	if (pid < 0)
		return pid;
	k->running = pid;
	k->job = order->job;
	snprintf(k->job_name, sizeof(k->job_name), "%s", order->wish.name ?: "");
	return 0;
}

/* The time until the next try, after this one; 0: there was none. */
static uint64_t longer(uint64_t ns)
{
	if (!ns)
		return RECONCILE_RETRY_MIN_NS;
	return ns > RECONCILE_RETRY_MAX_NS / 2 ? RECONCILE_RETRY_MAX_NS : 2 * ns;
}

static void retry_later(struct reconciled *f, uint64_t now_ns)
{
	f->retry_in_ns = longer(f->retry_in_ns);
	f->retry_at_ns = now_ns + f->retry_in_ns;
	diag_note("%s: is tried again in %llu s", f->name,
		  (unsigned long long)(f->retry_in_ns / 1000000000));
}

/* What comes from now on, this job does not see to. */
static void take_came(struct reconcile *k, struct reconciled *f, enum job job)
{
	k->job_came = f->came;
	k->job_is_anew = f->is_anew && job == JOB_INTERFACES;
	f->came = 0;
	f->is_anew &= !k->job_is_anew;
}

static void fail_job(struct reconcile *k, struct reconciled *f, enum job job, uint64_t now_ns)
{
	if (job == JOB_ENSURE || job == JOB_INTERFACES) {
		f->came |= k->job_came;
		f->is_anew |= k->job_is_anew;
	}
	f->failed |= job;
	retry_later(f, now_ns);
}

static void start_of(struct reconcile *k, struct reconciled *f, uint64_t now_ns)
{
	const struct config_filter *wanted = config_find(&k->config, f->name);
	enum job job = f->todo & -f->todo; /* the first of them */
	char *there[DEDUP_IFACES_MAX];
	struct job_order order = { .job = job, .wish = { .name = f->name } };
	bool needs_ifaces = job == JOB_ENSURE || job == JOB_INTERFACES;
	int err = -EAGAIN;

	if (job == JOB_SAVE || k->config.save)
		order.state = k->config.state;
	f->todo &= ~job;
	if (needs_ifaces)
		order.wish = wanted->wish;
	order.wish.verbose = k->verbose;
	order.wish.where.ifnames = there;
	order.wish.where.cnt = 0;
	for (int i = 0; needs_ifaces && i < wanted->wish.where.cnt; i++)
		if (f->ifindices[i] && (job == JOB_ENSURE || f->came >> i & 1))
			there[order.wish.where.cnt++] = wanted->wish.where.ifnames[i];
	if (needs_ifaces && !order.wish.where.cnt && !(job == JOB_INTERFACES && f->is_anew)) {
		f->failed |= job; /* until one comes */
		return;
	}
	/* JOB_ENSURE sees to the interfaces, too. */
	if (job == JOB_ENSURE && !f->is_anew)
		f->todo &= ~JOB_INTERFACES;
	if (needs_ifaces)
		take_came(k, f, job);
	if (job == JOB_INTERFACES && !k->job_is_anew && k->readings)
		err = job_attach_now(&order);
	if (err == -EAGAIN)
		err = start_job(k, &order);
	if (err)
		fail_job(k, f, job, now_ns);
}

bool reconcile_next(struct reconcile *k, uint64_t now_ns)
{
	const struct job_order refresh = { .job = JOB_REFRESH, .wish = { .verbose = k->verbose } };

	if (k->look && k->look_at_ns <= now_ns) {
		reconcile_look(k);
		k->look_at_ns = now_ns + RECONCILE_RETRY_MIN_NS;
	}
	for (int i = 0; i < k->cnt && !k->running; i++) {
		struct reconciled *f = &k->list[i];

		if (f->retry_at_ns && f->retry_at_ns <= now_ns) {
			f->retry_at_ns = 0;
			f->todo |= f->failed;
		}
		while (!k->running && f->todo && !f->retry_at_ns)
			start_of(k, f, now_ns);
	}
	if (!k->running && k->refresh && k->refresh_at_ns <= now_ns) {
		k->refresh = start_job(k, &refresh);
		k->refresh_at_ns = k->refresh ? now_ns + RECONCILE_RETRY_MIN_NS : 0;
	}
	return k->running;
}

/* A job that reconcile_end() has ordered, or an unload from before, has failed. */
static void fail_end(struct reconcile *k, struct reconciled *f)
{
	k->end_failed = true;
	if (k->job == JOB_SAVE && f->todo & JOB_UNLOAD) {
		f->todo &= ~JOB_UNLOAD;
		diag_err(0, "%s: stays loaded, as it could not be saved", f->name);
	}
}

void reconcile_ended(struct reconcile *k, int status, uint64_t now_ns)
{
	struct reconciled *f = find_reconciled(k, k->job_name);
	bool done = WIFEXITED(status) && !WEXITSTATUS(status);

	k->running = 0;
	if (WIFSIGNALED(status))
		diag_err(0, "%s: what was changed was ended by signal %d",
			 *k->job_name ? k->job_name : "refresh", WTERMSIG(status));
	if (!f && k->job == JOB_REFRESH && !done && !k->ending) {
		k->refresh = true;
		k->refresh_in_ns = longer(k->refresh_in_ns);
		k->refresh_at_ns = now_ns + k->refresh_in_ns;
	}
	if (!f && done)
		k->refresh_in_ns = 0;
	if (!f)
		return;
	f->failed &= ~k->job;
	/* A save from before the end is done once more. */
	if (!done && k->ending && k->job & (JOB_SAVE | JOB_UNLOAD) && !(f->todo & k->job))
		fail_end(k, f);
	/* What has been removed from the file meanwhile, or put back, is not to be done again. */
	if (k->job == JOB_SAVE || (!k->ending && f->leaves != (k->job == JOB_UNLOAD)))
		return;
	if (done)
		f->retry_in_ns = 0;
	if (done && k->job == JOB_ENSURE)
		f->is_up = true;
	if (done && k->job == JOB_UNLOAD && f->leaves) {
		k->cnt--;
		memmove(f, f + 1, (&k->list[k->cnt] - f) * sizeof(*f));
	}
	if (!done && !k->ending)
		fail_job(k, f, k->job, now_ns);
}

uint64_t reconcile_retry_at(const struct reconcile *k)
{
	uint64_t at = k->refresh ? k->refresh_at_ns : 0;

	if (k->look && (!at || k->look_at_ns < at))
		at = k->look_at_ns;
	for (int i = 0; i < k->cnt; i++) {
		uint64_t its = k->list[i].retry_at_ns;

		if (its && (!at || its < at))
			at = its;
	}
	return at;
}

/* Where a filter is to run, and where it does. */
enum where { RUNS, MAY_RUN, IS_OFF, IS_ABSENT };

/* Of a filter: the interfaces that its section of the file names, and how each of them is. */
struct its_interfaces {
	const struct placement *named; /* NULL: it is no longer in the file */
	enum where are[DEDUP_IFACES_MAX];
};

/* at: NULL if that is unknown. */
static enum where where_is(const struct attachments *at, uint32_t ifindex)
{
	if (!ifindex)
		return IS_ABSENT;
	if (!at)
		return MAY_RUN;
	for (int i = 0; i < at->cnt; i++)
		if (at->list[i].local && at->list[i].ifindex == ifindex)
			return at->list[i].ours ? RUNS : IS_OFF;
	return IS_OFF;
}

static void look_at_interfaces(const struct reconcile *k, const struct reconciled *f,
			       const struct links *links, struct its_interfaces *out)
{
	const struct config_filter *wanted = config_find(&k->config, f->name);
	const struct filter *open = k->readings ? readings_filter(k->readings, f->name) : NULL;
	struct attachments at = { .cnt = 0 };
	struct filter opened;
	int err = open ? attachments_read(open, links, &at) : filter_open(f->name, &opened);

	if (!open && !err) {
		err = attachments_read(&opened, links, &at);
		filter_close(&opened);
	}
	out->named = wanted ? &wanted->wish.where : NULL;
	for (int i = 0; out->named && i < out->named->cnt; i++)
		out->are[i] = where_is(err && err != -ENOENT && err != -ENODEV ? NULL : &at,
				       f->ifindices[i]);
}

/* Those that are so. */
static void append_interfaces(char *text, size_t size, const struct its_interfaces *its,
			      enum where where, const char *before)
{
	int cnt = 0;

	for (int i = 0; its->named && i < its->named->cnt; i++)
		if (its->are[i] == where)
			text_append(text, size, "%s%s", cnt++ ? ", " : before,
				    its->named->ifnames[i]);
}

void reconcile_text(const struct reconcile *k, const struct links *links, char *text, size_t size)
{
	*text = '\0';
	for (int i = 0; i < k->cnt; i++) {
		const struct reconciled *f = &k->list[i];
		struct its_interfaces its;

		look_at_interfaces(k, f, links, &its);
		text_append(text, size, "%s%s:", i ? "; " : "", f->name);
		if (f->leaves)
			text_append(text, size, " is to go");
		append_interfaces(text, size, &its, RUNS, " ");
		append_interfaces(text, size, &its, MAY_RUN, " may run on ");
		append_interfaces(text, size, &its, IS_OFF,
				  f->failed ? " is tried again on " : " does not run on ");
		append_interfaces(text, size, &its, IS_ABSENT, " waits for ");
		if (f->failed && f->retry_at_ns)
			text_append(text, size, " (what failed is tried again)");
	}
	if (!k->cnt)
		text_append(text, size, "the file has no filter");
}

void reconcile_free(struct reconcile *k)
{
	link_events_close(&k->links);
	config_free(&k->config);
	free(k->list);
	k->list = NULL;
	k->cnt = 0;
}
