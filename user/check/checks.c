// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "checks.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "check_context.h"
#include "kernel.h"
#include "plan.h"
#include "receivers.h"

#define MESSAGES_MAX 4 /* messages of a check */

int check_found(struct check_context *q, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(q->found, sizeof(q->found), format, args);
	va_end(args);
	return 0;
}

static void add_value(struct check_context *q, struct check_value value)
{
	if (q->values_cnt < CHECK_VALUES_MAX)
		q->values[q->values_cnt++] = value;
}

void check_number(struct check_context *q, const char *key, uint64_t number)
{
	add_value(q, (struct check_value){ .key = key, .kind = VALUE_NUMBER, .number = number });
}

void check_flag(struct check_context *q, const char *key, bool flag)
{
	add_value(q, (struct check_value){ .key = key, .kind = VALUE_FLAG, .number = flag });
}

void check_text(struct check_context *q, const char *key, const char *text)
{
	snprintf(q->text, sizeof(q->text), "%s", text);
	add_value(q, (struct check_value){ .key = key, .kind = VALUE_TEXT, .text = q->text });
}

/* Returns the input of a check of the interface with this index. */
static struct check_context make_context(const struct checks_subject *s, int iface)
{
	const struct placement *where = s->where;

	return (struct check_context){ .subject = s,
				       .iface = iface,
				       .ifname = iface < where->cnt ? where->ifnames[iface] : NULL };
}

/* Who else makes a check, to be ORed: load before it loads (what it needs), or after that
 * (surprises); status while the filter runs.
 */
enum when { BY_CHECK = 0, BEFORE_LOAD = 1, AFTER_LOAD = 2, BY_STATUS = 4 };

/* What a check needs, to be ORed. */
enum {
	NEEDS_RIGHTS = 1 << 0, /* without rights, an error means that the result is unknown */
	NEEDS_PLAN = 1 << 1,
	NEEDS_LINKS = 1 << 2,
	NEEDS_IFACES = 1 << 3, /* at least one existing interface */
};

static const struct check {
	const char *name;
	int (*make)(struct check_context *q);
	unsigned int when; /* enum when */
	bool each;	   /* made for each interface; else once */
	unsigned int needs;
} CHECKS[] = {
	{ "rights", check_rights, BY_CHECK, false, 0 },
	{ "kernel", check_kernel, BY_CHECK, false, NEEDS_RIGHTS },
	{ "preemption", check_preemption, BEFORE_LOAD, false, 0 },
	{ "jit", check_jit, BY_CHECK, false, 0 },
	{ "dispatcher", check_dispatcher, BY_CHECK, false, 0 },
	{ "bpffs", check_bpffs, BY_CHECK, false, NEEDS_RIGHTS },
	{ "lock", check_lock, BY_CHECK, false, NEEDS_RIGHTS },
	{ "name", check_name, BY_CHECK, false, NEEDS_RIGHTS },
	{ "size", check_size, BY_CHECK, false, 0 },
	{ "memory", check_memory, BEFORE_LOAD, false, NEEDS_PLAN },
	{ "delivery", check_delivery, BEFORE_LOAD, false, NEEDS_PLAN | NEEDS_RIGHTS },
	{ "links", check_links, BY_CHECK, false, 0 },
	{ "interface", check_interface, BEFORE_LOAD, true, 0 },
	{ "programs", check_programs, BEFORE_LOAD, true, NEEDS_RIGHTS },
	{ "stacking", check_stacking, BEFORE_LOAD, false, NEEDS_IFACES | NEEDS_LINKS },
	{ "ethernet", check_ethernet, BEFORE_LOAD, true, NEEDS_LINKS },
	{ "merging", check_merging, BEFORE_LOAD, true, NEEDS_LINKS },
	{ "reverse_path", check_reverse_path, BEFORE_LOAD | BY_STATUS, true, 0 },
	{ "driver", check_driver, BY_CHECK, true, 0 },
	{ "redirect", check_redirect, BEFORE_LOAD, true, NEEDS_PLAN },
	{ "lro", check_lro, BY_CHECK, true, 0 },
	{ "queues", check_queues, BY_CHECK, true, 0 },
	{ "mtu", check_mtu, BY_CHECK, true, 0 },
	{ "layers", check_layers, BY_CHECK, true, NEEDS_LINKS },
	{ "tunnels", check_tunnels, AFTER_LOAD, true, NEEDS_LINKS },
	{ "vlan_tags", check_tags, AFTER_LOAD, false, NEEDS_IFACES },
	{ "ports", check_ports, AFTER_LOAD, false, 0 },
	{ "forwarding", check_forwarding, AFTER_LOAD, false, NEEDS_IFACES | NEEDS_LINKS },
	{ "window", check_window, AFTER_LOAD, false, 0 },
	{ "groups", check_groups, AFTER_LOAD | BY_STATUS, true, 0 },
	{ "sockets", check_sockets, AFTER_LOAD | BY_STATUS, true, 0 },
	{ "vlans", check_vlans, AFTER_LOAD | BY_STATUS, true, NEEDS_LINKS },
	{ "buffers", check_buffers, AFTER_LOAD | BY_STATUS, false, NEEDS_PLAN },
	{ "rules", check_rules, BY_CHECK, false, NEEDS_RIGHTS },
};
#define CHECKS_CNT (sizeof(CHECKS) / sizeof(CHECKS[0]))

/* Returns whether the subject has what the check needs. */
static bool can_make(const struct check *c, const struct checks_subject *s)
{
	return (!(c->needs & NEEDS_PLAN) || s->plan) && (!(c->needs & NEEDS_LINKS) || s->links) &&
	       (!(c->needs & NEEDS_IFACES) || s->where->cnt);
}

/* Makes the checks of this time, until one fails. */
static int make_at(const struct checks_subject *s, enum when when)
{
	int err = 0;

	for (size_t i = 0; i < CHECKS_CNT; i++)
		for (int j = 0; j < (CHECKS[i].each ? s->where->cnt : 1); j++) {
			struct check_context q = make_context(s, j);

			if (CHECKS[i].when & when && err >= 0 && can_make(&CHECKS[i], s))
				err = CHECKS[i].make(&q);
		}
	return err < 0 ? err : 0;
}

int checks_demand(const struct checks_subject *s)
{
	return make_at(s, BEFORE_LOAD);
}

void checks_note(const struct checks_subject *s)
{
	make_at(s, AFTER_LOAD);
}

void checks_behind(const struct checks_subject *s)
{
	make_at(s, BY_STATUS);
}

const char *check_verdict_name(enum check_verdict verdict)
{
	static const char *const NAMES[] = {
		[CHECK_OK] = "ok", [CHECK_NOTE] = "note", [CHECK_UNKNOWN] = "unknown", [CHECK_PROBLEM] = "problem"
	};

	return NAMES[verdict];
}

/* The messages of a check. */
struct messages {
	struct {
		enum diag_kind kind;
		char finding[CHECK_FOUND_MAX], advice[CHECK_FOUND_MAX]; /* "": none */
	} list[MESSAGES_MAX];
	int cnt;
};

static void store_message(void *to, const struct diag *d)
{
	struct messages *m = to;

	if (m->cnt == MESSAGES_MAX)
		return;
	m->list[m->cnt].kind = d->kind;
	snprintf(m->list[m->cnt].finding, sizeof(m->list[0].finding), "%s", d->finding);
	snprintf(m->list[m->cnt].advice, sizeof(m->list[0].advice), "%s", d->advice ?: "");
	m->cnt++;
}

/* The receiver of the findings. */
struct findings {
	check_report report;
	void *to;
	bool has_rights;
	enum check_verdict worst;
};

static void add_finding(struct findings *f, const struct check_finding *finding)
{
	if (finding->verdict > f->worst)
		f->worst = finding->verdict;
	f->report(f->to, finding);
}

/* Makes a check, and reports its findings. Returns what the check returns. */
static int make_check(const struct check *c, const struct checks_subject *s, int iface,
		      struct findings *f)
{
	bool lacks_rights = c->needs & NEEDS_RIGHTS && !f->has_rights;
	struct check_context q = make_context(s, iface);
	struct messages m = { .cnt = 0 };
	struct diag_receiver receiver = { .take = store_message, .to = &m };
	struct check_finding finding = { .check = c->name, .ifname = c->each ? q.ifname : NULL };
	bool has_failed = false;
	int answer;

	diag_receive(&receiver);
	answer = c->make(&q);
	diag_receive_end(&receiver);
	finding.values = q.values;
	finding.values_cnt = q.values_cnt;
	for (int i = 0; i < m.cnt; i++) {
		bool is_error = m.list[i].kind == DIAG_ERR;

		has_failed |= is_error;
		finding.verdict = is_error ? CHECK_PROBLEM : CHECK_NOTE;
		if (is_error && (answer == CHECK_IS_UNKNOWN || lacks_rights))
			finding.verdict = CHECK_UNKNOWN;
		finding.found = m.list[i].finding;
		finding.advice = *m.list[i].advice ? m.list[i].advice : NULL;
		add_finding(f, &finding);
	}
	if (!m.cnt || (answer == CHECK_IS_UNKNOWN && !has_failed)) {
		finding.verdict = answer == CHECK_IS_UNKNOWN ? CHECK_UNKNOWN : CHECK_OK;
		finding.found = q.found;
		add_finding(f, &finding);
	}
	return answer;
}

/* Makes all checks. Those after check_interface() get only the interfaces that it has found. */
static void make_all(const struct checks_subject *subject, struct findings *f)
{
	char *existing[DEDUP_IFACES_MAX];
	struct placement present = { .ifnames = existing, .mode = subject->where->mode };
	struct checks_subject s = *subject;

	for (size_t i = 0; i < CHECKS_CNT; i++) {
		const struct check *c = &CHECKS[i];

		for (int j = 0; can_make(c, &s) && j < (c->each ? s.where->cnt : 1); j++) {
			int answer = make_check(c, &s, j, f);

			if (c->make == check_interface && !answer)
				existing[present.cnt++] = s.where->ifnames[j];
		}
		if (c->make == check_interface)
			s.where = &present;
	}
}

/* Discards a message: a check will report it again. */
static void discard(void *to, const struct diag *d)
{
	(void)to, (void)d;
}

enum check_verdict checks_make(const struct checks_subject *subject, check_report report, void *to)
{
	struct findings f = { .report = report,
			      .to = to,
			      .has_rights = kernel_has_rights(KERNEL_LOAD) };
	struct diag_receiver none = { .take = discard };
	struct checks_subject s = *subject;
	struct dedup_config plan;
	struct links links;

	diag_receive(&none);
	s.plan = plan_local(s.spec, &plan) ? NULL : &plan;
	s.links = receivers_links(&links) ? NULL : &links;
	diag_receive_end(&none);
	make_all(&s, &f);
	links_free(&links);
	return f.worst;
}
