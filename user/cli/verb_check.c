// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* check: finds out whether load would work here. Changes nothing. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "checks.h"
#include "control.h"
#include "json_out.h"
#include "kernel.h"
#include "open.h"
#include "plan.h"
#include "print.h"
#include "status.h"
#include "verbs.h"

#define VERDICTS 4

static json_object *json_values(const struct check_finding *f)
{
	json_object *o = json_object_new_object();

	for (int i = 0; i < f->values_cnt; i++) {
		const struct check_value *v = &f->values[i];

		ADD(v->key, v->kind == VALUE_TEXT   ? json_text(v->text)
			    : v->kind == VALUE_FLAG ? json_bool((int)v->number)
						    : json_u64(v->number));
	}
	return o;
}

/* Appends the finding to the list `to`. */
static void add_json(void *to, const struct check_finding *f)
{
	json_object *o = json_object_new_object();

	ADD("check", json_text(f->check));
	ADD("interface", json_text(f->ifname));
	ADD("verdict", json_text(check_verdict_name(f->verdict)));
	ADD("found", json_text(f->found));
	ADD("advice", json_text(f->advice));
	ADD("values", json_values(f));
	json_object_array_add(to, o);
}

/* Prints the finding, and counts its verdict in `to`. */
static void print_finding(void *to, const struct check_finding *f)
{
	int *cnt = to;
	int used = print_clean("%-8s %-10s %-8s ", check_verdict_name(f->verdict), f->check,
			       f->ifname ?: "");

	print_clean("%s", f->found);
	puts("");
	if (f->advice) {
		print_clean("%*s-> %s", used, "", f->advice);
		puts("");
	}
	cnt[f->verdict]++;
}

static void print_sum(const int cnt[VERDICTS])
{
	printf("%s: %d ok, %d note%s, %d unknown, %d problem%s\n",
	       cnt[CHECK_PROBLEM] ? "load would fail" : "load should work", cnt[CHECK_OK],
	       cnt[CHECK_NOTE], cnt[CHECK_NOTE] == 1 ? "" : "s", cnt[CHECK_UNKNOWN],
	       cnt[CHECK_PROBLEM], cnt[CHECK_PROBLEM] == 1 ? "" : "s");
}

static void print_checks_json(json_object *list, enum check_verdict worst)
{
	json_object *o = json_object_new_object();

	ADD("load_fails", json_bool(worst == CHECK_PROBLEM));
	ADD("worst", json_text(check_verdict_name(worst)));
	ADD("checks", list);
	json_print(o);
}

/* Collects the advice on an open filter, which it closes. Returns the number of sentences; or -errno. */
static int collect_advice(struct filter *f, struct advice list[ADVICE_MAX])
{
	static struct status s;
	int cnt = status_collect(f, NULL, false, &s) ?: status_advice(&s, NULL, list);

	status_free(&s);
	return cnt;
}

/* Reports what status advises on a filter of this name that runs already. What is lost behind it,
 * other checks report. Returns the worst verdict.
 */
static enum check_verdict check_running(const char *name, check_report report, void *to)
{
	static struct advice list[ADVICE_MAX];
	struct check_finding f = { .check = "running", .verdict = CHECK_OK };
	struct filter filter;
	int err = filter_open(name, &filter), cnt = err ?: collect_advice(&filter, list);

	if (cnt == -ENOENT)
		return CHECK_OK;
	if (cnt < 0) {
		f.verdict = CHECK_UNKNOWN;
		f.found = strerror(-cnt);
		report(to, &f);
	}
	for (int i = 0; i < cnt; i++) {
		if (!strcmp(list[i].key, "behind"))
			continue;
		f.verdict = CHECK_NOTE;
		f.found = list[i].text;
		report(to, &f);
	}
	return f.verdict;
}

int verb_check(const struct options *o)
{
	const struct placement where = { o->args, o->args_cnt, o->wish.where.mode,
					 o->wish.where.share };
	struct filter_spec spec = o->wish.spec;
	struct checks_subject s = { .where = &where,
				    .spec = &spec,
				    .name = o->wish.name,
				    .fitting_window_ns = o->wish.fitting_window_ns };
	json_object *list = NULL;
	int cnt[VERDICTS] = { 0 };
	check_report report = o->json ? add_json : print_finding;
	enum check_verdict worst, running;
	void *to = cnt;

	if (control_check_filter(&o->wish) || wish_check_sources(&o->wish, &spec) ||
	    plan_check(&spec))
		return EXIT_MISUSED;
	if (o->json)
		to = list = json_object_new_array();
	kernel_output(o->wish.verbose);
	spec.several = where.cnt > 1;
	worst = checks_make(&s, report, to);
	running = check_running(o->wish.name ?: o->args[0], report, to);
	if (running > worst)
		worst = running;
	if (o->json)
		print_checks_json(list, worst);
	else
		print_sum(cnt);
	return worst == CHECK_PROBLEM ? EXIT_FAILED : EXIT_DONE;
}
