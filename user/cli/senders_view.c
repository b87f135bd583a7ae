// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "senders_view.h"

#include <inttypes.h>
#include <stdio.h>

#include "facts.h"
#include "json_out.h"
#include "units.h"

double percent_of(uint64_t part, uint64_t of)
{
	return of ? 100.0 * (double)part / (double)of : 0;
}

/* Prints a skew, as in "<= 1us" or "> 8s". */
static void print_skew(const struct dedup_path *path, double part)
{
	uint64_t ns = accounts_skew_quantile(path, part);

	if (ns == UINT64_MAX)
		printf("> %s", FORMAT_TIME(accounts_skew_ns(DEDUP_SKEWS - 2)));
	else
		printf("<= %s", FORMAT_TIME(ns));
}

/* Prints a figure unless it is 0. */
static void print_if_any(const char *what, uint64_t cnt)
{
	if (cnt)
		printf("  %s %" PRIu64, what, cnt);
}

static void print_path(const struct senders_view *v, const struct source_figures *f,
		       const struct path_figures *p)
{
	char buf[SENDERS_IFACE_MAX];
	const char *name = v->iface_name(v->of, p->ifindex, buf);

	printf("    %-10s %-8s first %5.1f %%  lost %" PRIu64 " (%.3g %%)",
	       sender_path_stream(v->config, p) ?: "-", name ?: "gone",
	       percent_of(p->counted.first, sender_first_all(f)), p->lost,
	       percent_of(p->lost, p->messages));
	print_if_any("missing", p->missing);
	print_if_any("out of order", p->counted.out_of_order);
	print_if_any("late", p->counted.late);
	print_if_any("unnoted", p->counted.unnoted);
	if (accounts_skew_quantile(&p->counted, 0.5)) {
		printf("  skew ");
		print_skew(&p->counted, 0.5);
		printf(", 99 %% ");
		print_skew(&p->counted, 0.99);
	}
	puts(p->silent ? "  silent" : "");
}

const char *sender_lost_as(const struct source_figures *f)
{
	return f->partial ? "for others, or lost on all paths" : "lost on all paths";
}

void senders_print(const struct senders_view *v)
{
	char text[SENDER_TEXT_MAX];

	for (uint32_t i = 0; i < v->list.cnt; i++) {
		const struct source_figures *f = &v->list.list[i];

		printf("  sender      %s: %" PRIu64 " messages", sender_text(v->config, f, text),
		       f->messages);
		if (v->now_ns > f->since_ns)
			printf(" in %s", FORMAT_TIME(v->now_ns - f->since_ns));
		printf(", %" PRIu64 " %s", f->lost, sender_lost_as(f));
		print_if_any("jumped over", f->jumped);
		print_if_any("restarts", f->restarts);
		puts(f->redundant ? "" : "; NOT REDUNDANT");
		for (uint32_t p = 0; p < f->paths_cnt; p++)
			print_path(v, f, &f->paths[p]);
	}
	if (v->list.left_out)
		printf("  and %u more senders: --json has all\n", v->list.left_out);
}

static json_object *json_skew(const struct path_figures *p)
{
	return JSON_LIST(i, DEDUP_SKEWS, p->counted.skew[i]);
}

static json_object *path_json(const struct senders_view *v, const struct path_figures *p)
{
	return JSON_OBJECT(PATH_FACTS(ADD_FACT, ADD_FACT, ADD_FACT));
}

json_object *sender_json(const struct senders_view *v, const struct source_figures *f)
{
	json_object *o = json_object_new_object();

	SENDER_FACTS(ADD_FACT, ADD_FACT, ADD_FACT)
	if (v->now_ns <= f->since_ns)
		json_object_object_del(o, "counts_for_ns");
	return o;
}

json_object *senders_json(const struct senders_view *v)
{
	return JSON_LIST(i, v->list.cnt, sender_json(v, &v->list.list[i]));
}
