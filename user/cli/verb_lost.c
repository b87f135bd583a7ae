// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* lost: shows packets that the filter let pass and the kernel then discarded, as they are lost. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attachments.h"
#include "capture.h"
#include "clock.h"
#include "diag.h"
#include "kernel.h"
#include "links.h"
#include "lost_packets.h"
#include "open.h"
#include "program.h"
#include "sample_view.h"
#include "stop.h"
#include "units.h"
#include "verbs.h"

#define WAIT_MS 200
#define MS 1000000
#define ON_NS (1000 * UINT64_C(1000000))
#define FILE_SNAP 262144
#define REASONS_MAX 32
/* Time without --for, if the kernel also reports drops of XDP: each then costs fivefold. */
#define COSTLY_NS (10 * 1000 * UINT64_C(1000000))

/* What is shown, and what has been shown. */
struct lost {
	const struct options *o;
	struct filter *f;
	struct lost_packets packets;
	struct links links;
	struct capture_out *file; /* NULL: packets are printed */
	struct lost_sum {
		const char *key, *text;
		uint64_t cnt;
	} sums[REASONS_MAX]; /* by reason */
	int sums_cnt;
	uint64_t cnt;
	bool failed; /* a write has failed, which capture_finish() or check_output() logs */
};

static void count(struct lost *l, const struct lost_reason *reason)
{
	int i = 0;

	while (i < l->sums_cnt && strcmp(l->sums[i].text, reason->text) != 0)
		i++;
	if (i == REASONS_MAX)
		return;
	if (i == l->sums_cnt)
		l->sums[l->sums_cnt++] = (struct lost_sum){ reason->key, reason->text, 0 };
	l->sums[i].cnt++;
	l->cnt++;
}

static void print(const struct lost *l, const struct drop *d, const struct lost_packet *p)
{
	struct sample_view view;

	sample_view_of_frame(l->f->config, &p->id, d->frame, d->have, &view);
	view.time_ns = d->time_ns;
	view.verdict = "lost";
	view.reason = p->reason->key;
	view.ifindex = d->ifindex;
	view.len = d->len;
	snprintf(view.iface, sizeof(view.iface), "%s", p->at->ifname);
	(l->o->json ? sample_view_json : sample_view_text)(&view, stdout);
}

static int show_drop(void *arg, const struct drop *d)
{
	struct lost *l = arg;
	struct lost_packet p;

	if (!lost_packet_read(d, lost_interface(&l->packets.at, &l->links, d), &p))
		return 0;
	count(l, p.reason);
	if (l->o->want_lost)
		lost_packets_want(&l->packets, l->f, &p);
	if (l->file) {
		const struct capture_frame frame = {
			.data = d->frame, .len = d->have, .wire_len = d->len, .ns = d->time_ns
		};

		l->failed = capture_write(l->file, &frame);
	} else {
		print(l, d, &p);
	}
	return l->failed || l->cnt == l->o->sample.count; /* never for a count of 0 */
}

static int receive(struct drop_monitor *m, struct lost *l, uint64_t for_ns)
{
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC), left_ns = UINT64_MAX, on_ns = start_ns;
	int result = 0;

	while (!result && !stop_signal() && left_ns && !l->failed) {
		left_ns = clock_left_ns(start_ns, for_ns);
		result = drop_monitor_poll(m, left_ns < WAIT_MS * MS ? (int)(left_ns / MS) : WAIT_MS,
					   show_drop, l);
		l->failed |= fflush(stdout) != 0;
		if (!result && clock_ns(CLOCK_MONOTONIC) >= on_ns + ON_NS) {
			result = drop_monitor_turn_on(m); /* somebody may have stopped it */
			on_ns += ON_NS;
		}
	}
	return result < 0 ? diag_err(result, "cannot read the kernel's drop monitor: %s",
				     strerror(-result))
			  : 0;
}

static void log_summary(const struct lost *l, uint32_t missed, int err)
{
	for (int i = 0; i < l->sums_cnt; i++)
		diag_note("%" PRIu64 " lost: %s (%s)", l->sums[i].cnt, l->sums[i].text,
			  l->sums[i].key);
	if (!l->cnt && !err)
		diag_note("no packet of %s was lost", l->f->name);
	if (l->o->want_lost)
		diag_note("%" PRIu64 " wanted, of which the newest %d at most still are",
			  l->packets.wants.cnt, WANT_RING_MAX);
	if (l->packets.unwanted)
		diag_note("%" PRIu64 " not wanted: more than %d a second, or too many of others",
			  l->packets.unwanted, LOST_WANTS_IN_A_SECOND);
	if (missed)
		diag_note("%u packets of any kind are not shown: there were too many at once",
			  missed);
}

static int show_lost(struct lost *l)
{
	const char *costly = lost_costly_interface(&l->links);
	uint64_t for_ns = l->o->sample.for_ns;
	struct drop_monitor *m;
	uint32_t missed;
	int err = lost_monitor_open("show losses", l->o->take_over, &m);

	if (err)
		return err;
	if (l->o->sample.write)
		err = capture_create(l->o->sample.write, FILE_SNAP, CAPTURE_LIVE, &l->file);
	if (costly) {
		for_ns = for_ns ?: COSTLY_NS;
		diag_note(LOST_COSTLY ": this ends after %s", costly, FORMAT_TIME(for_ns));
	}
	if (!err) {
		diag_note("showing what is lost behind %s; Ctrl-C ends it", l->f->name);
		err = receive(m, l, for_ns);
	}
	missed = drop_monitor_missed(m);
	drop_monitor_close(m);
	log_summary(l, missed, err);
	if (l->file && capture_finish(l->file))
		err = -EIO;
	return err;
}

int verb_lost(const struct options *o)
{
	static struct lost l;
	struct filter f;
	int err;

	if (o->json && o->sample.write)
		return diag_err(EXIT_MISUSED, "lost takes --json or --write, not both");
	if (kernel_ready(o->wish.verbose, false) || attachments_open(o->args[0], &f))
		return EXIT_FAILED;
	stop_on_signals(SIGPIPE);
	l.o = o;
	l.f = &f;
	err = links_read(&l.links) ?: attachments_read(&f, &l.links, &l.packets.at);
	if (err)
		diag_err(err, "cannot read the interfaces of %s: %s", f.name, strerror(-err));
	if (!err)
		err = lost_program_open(&f);
	if (!err) {
		err = show_lost(&l);
		program_close();
	}
	links_free(&l.links);
	filter_close(&f);
	stop_end_by_pipe();
	return err ? EXIT_FAILED : EXIT_DONE;
}
