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

/* Orders JOB_ENSURE for the filter of this name. Adds it to the list, which has room, if needed. */
static void require_filter(struct reconcile *k, const char *name)
{
	struct reconciled *f = find_reconciled(k, name);

	if (!f) {
		f = &k->list[k->cnt++];
		*f = (struct reconciled){ 0 };
		snprintf(f->name, sizeof(f->name), "%s", name);
	}
	f->leaves = false;
	f->todo = JOB_ENSURE | (f->reattach ? JOB_INTERFACES : 0);
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
		/* Jobs that failed were for the previous file. */
		k->list[i].failed = 0;
		k->list[i].retry_in_ns = k->list[i].retry_at_ns = 0;
	}
	for (int i = 0; i < config->cnt; i++)
		require_filter(k, config->filters[i].name);
	config_free(&k->config);
	k->config = *config;
	*config = (struct config_file){ 0 };
	reconcile_read_links(k);
	for (int i = 0; i < k->cnt && k->links_unread;
	     i++) /* they are in the order of the old file */
		memset(k->list[i].ifindices, 0, sizeof(k->list[i].ifindices));
	return 0;
}

/* Updates the interfaces of a filter, if it is in the file, and orders the job that attaches it to
 * those that have appeared. Returns whether any has changed.
 */
static bool update_interfaces(struct reconcile *k, struct reconciled *f)
{
	const struct config_filter *wanted = config_find(&k->config, f->name);
	bool appeared = false, changed = false;

	for (int i = 0; wanted && i < wanted->wish.where.cnt; i++) {
		uint32_t index = link_events_index(&k->links, wanted->wish.where.ifnames[i]);

		if (index && index != f->ifindices[i]) {
			f->appeared |= 1U << i;
			appeared = true;
		}
		changed |= index != f->ifindices[i];
		f->ifindices[i] = index;
	}
	if (!appeared)
		return changed;
	f->todo |= f->failed | (f->is_up ? JOB_INTERFACES : JOB_ENSURE);
	f->retry_at_ns = 0;
	return true;
}

bool reconcile_read_links(struct reconcile *k)
{
	bool changed, ours = false;

	if (k->ending)
		return false;
	k->links_unread = link_events_read(&k->links, &changed);
	k->links_retry_ns = 0;
	if (k->links_unread)
		return true;
	k->refresh |= changed && !(k->readings && readings_agree(k->readings, &k->links.now));
	for (int i = 0; i < k->cnt; i++)
		ours |= update_interfaces(k, &k->list[i]);
	return ours;
}

bool reconcile_reattach(struct reconcile *k, const char *name, uint64_t now_ns)
{
	struct reconciled *f = find_reconciled(k, name);

	if (!f || f->leaves || k->ending ||
	    (f->reattach_ns && now_ns < f->reattach_ns + RECONCILE_REATTACH_NS))
		return false;
	f->reattach_ns = now_ns;
	f->reattach = true;
	f->todo |= JOB_INTERFACES;
	diag_note("%s: is attached anew, as a driver has lost the program", name);
	return true;
}

/* Returns whether a save runs, or one is due without waiting for a retry. */
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
	k->refresh = k->links_unread = false;
	for (int i = 0; i < k->cnt; i++) {
		struct reconciled *f = &k->list[i];

		if (f->leaves) /* its unload may have failed, and is tried once more */
			f->todo |= f->failed;
		else
			f->todo = (k->config.save ? JOB_SAVE : 0) |
				  (k->config.unload ? JOB_UNLOAD : 0);
		f->failed = 0;
		f->retry_in_ns = f->retry_at_ns = 0;
	}
}

/* Starts a job. Returns 0; or -errno (logged), and the job is still to be done. */
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

/* Returns the delay before the next try, in ns. ns: the delay before the last try; 0: none yet. */
static uint64_t next_delay(uint64_t ns)
{
	if (!ns)
		return RECONCILE_RETRY_MIN_NS;
	return ns > RECONCILE_RETRY_MAX_NS / 2 ? RECONCILE_RETRY_MAX_NS : 2 * ns;
}

static void retry_later(struct reconciled *f, uint64_t now_ns)
{
	f->retry_in_ns = next_delay(f->retry_in_ns);
	f->retry_at_ns = now_ns + f->retry_in_ns;
	diag_note("%s: is tried again in %llu s", f->name,
		  (unsigned long long)(f->retry_in_ns / 1000000000));
}

/* Gives the job what is to be attached now; what appears while it runs is left to another job. */
static void take_appeared(struct reconcile *k, struct reconciled *f, enum job job)
{
	k->job_appeared = f->appeared;
	k->job_reattach = f->reattach && job == JOB_INTERFACES;
	f->appeared = 0;
	f->reattach &= !k->job_reattach;
}

static void fail_job(struct reconcile *k, struct reconciled *f, enum job job, uint64_t now_ns)
{
	if (job == JOB_ENSURE || job == JOB_INTERFACES) {
		f->appeared |= k->job_appeared;
		f->reattach |= k->job_reattach;
	}
	f->failed |= job;
	retry_later(f, now_ns);
}

static void start_next(struct reconcile *k, struct reconciled *f, uint64_t now_ns)
{
	const struct config_filter *wanted = config_find(&k->config, f->name);
	enum job job = f->todo & -f->todo; /* the lowest bit: the first job */
	char *present[DEDUP_IFACES_MAX];
	struct job_order order = { .job = job, .wish = { .name = f->name } };
	bool needs_ifaces = job == JOB_ENSURE || job == JOB_INTERFACES;
	int err = -EAGAIN;

	if (job == JOB_SAVE || k->config.save)
		order.state = k->config.state;
	f->todo &= ~job;
	if (needs_ifaces)
		order.wish = wanted->wish;
	order.wish.verbose = k->verbose;
	order.wish.renew = k->replace && !f->is_up;
	order.wish.where.ifnames = present;
	order.wish.where.cnt = 0;
	for (int i = 0; needs_ifaces && i < wanted->wish.where.cnt; i++)
		if (f->ifindices[i] && (job == JOB_ENSURE || f->appeared >> i & 1))
			present[order.wish.where.cnt++] = wanted->wish.where.ifnames[i];
	if (needs_ifaces && !order.wish.where.cnt && !(job == JOB_INTERFACES && f->reattach)) {
		f->failed |= job; /* until an interface appears */
		return;
	}
	/* JOB_ENSURE attaches to the interfaces, too. */
	if (job == JOB_ENSURE && !f->reattach)
		f->todo &= ~JOB_INTERFACES;
	if (needs_ifaces)
		take_appeared(k, f, job);
	if (job == JOB_INTERFACES && !k->job_reattach && k->readings)
		err = job_attach_now(&order);
	if (err == -EAGAIN)
		err = start_job(k, &order);
	if (err)
		fail_job(k, f, job, now_ns);
}

bool reconcile_next(struct reconcile *k, uint64_t now_ns)
{
	const struct job_order refresh = { .job = JOB_REFRESH, .wish = { .verbose = k->verbose } };

	if (k->links_unread && k->links_retry_ns <= now_ns) {
		reconcile_read_links(k);
		k->links_retry_ns = now_ns + RECONCILE_RETRY_MIN_NS;
	}
	for (int i = 0; i < k->cnt && !k->running; i++) {
		struct reconciled *f = &k->list[i];

		if (f->retry_at_ns && f->retry_at_ns <= now_ns) {
			f->retry_at_ns = 0;
			f->todo |= f->failed;
		}
		while (!k->running && f->todo && !f->retry_at_ns)
			start_next(k, f, now_ns);
	}
	if (!k->running && k->refresh && k->refresh_at_ns <= now_ns) {
		k->refresh = start_job(k, &refresh);
		k->refresh_at_ns = k->refresh ? now_ns + RECONCILE_RETRY_MIN_NS : 0;
	}
	return k->running;
}

/* Handles the failure of a job that reconcile_end() ordered, or of an earlier unload. */
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
		k->refresh_in_ns = next_delay(k->refresh_in_ns);
		k->refresh_at_ns = now_ns + k->refresh_in_ns;
	}
	if (!f && done)
		k->refresh_in_ns = 0;
	if (!f)
		return;
	f->failed &= ~k->job;
	/* A job that reconcile_end() has ordered again is not a failure: it runs once more. */
	if (!done && k->ending && k->job & (JOB_SAVE | JOB_UNLOAD) && !(f->todo & k->job))
		fail_end(k, f);
	/* A save is not tried again; nor a job whose filter was removed or put back meanwhile. */
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

	if (k->links_unread && (!at || k->links_retry_ns < at))
		at = k->links_retry_ns;
	for (int i = 0; i < k->cnt; i++) {
		uint64_t its = k->list[i].retry_at_ns;

		if (its && (!at || its < at))
			at = its;
	}
	return at;
}

/* Whether a filter runs on an interface that the file names. IS_ABSENT: no such interface. */
enum run_state { RUNS, MAY_RUN, IS_OFF, IS_ABSENT };

/* The interfaces that a filter's section of the file names, and whether it runs on each. */
struct interface_states {
	const struct placement *named; /* NULL: the filter is no longer in the file */
	enum run_state states[DEDUP_IFACES_MAX];
};

/* at: where the filter is attached; NULL if that is unknown. */
static enum run_state run_state_of(const struct attachments *at, uint32_t ifindex)
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

static void read_interfaces(const struct reconcile *k, const struct reconciled *f,
			    const struct links *links, struct interface_states *out)
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
		out->states[i] = run_state_of(err && err != -ENOENT && err != -ENODEV ? NULL : &at,
					      f->ifindices[i]);
}

/* Appends the interfaces in this state, with `before` in front of the first one. */
static void append_interfaces(char *text, size_t size, const struct interface_states *its,
			      enum run_state state, const char *before)
{
	int cnt = 0;

	for (int i = 0; its->named && i < its->named->cnt; i++)
		if (its->states[i] == state)
			text_append(text, size, "%s%s", cnt++ ? ", " : before,
				    its->named->ifnames[i]);
}

void reconcile_text(const struct reconcile *k, const struct links *links, char *text, size_t size)
{
	*text = '\0';
	for (int i = 0; i < k->cnt; i++) {
		const struct reconciled *f = &k->list[i];
		struct interface_states its;

		read_interfaces(k, f, links, &its);
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
