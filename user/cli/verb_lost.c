// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* lost: shows packets that the filter let pass and the kernel then discarded, as they are lost. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
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
/* If the kernel also reports drops of XDP, each of which then costs fivefold, and without --for:
 * the monitor is on for so long, at the beginning of each of so many seconds.
 */
#define SAMPLE_NS (100 * UINT64_C(1000000))
#define SAMPLES 10

/* What is shown, and what has been shown. */
struct lost {
	const struct options *o;
	struct filter *f;
	struct drop_monitor *monitor; /* NULL: off */
	uint32_t missed;	      /* see drop_monitor_missed() */
	struct lost_packets packets;
	struct links links;
	struct capture_out *file; /* NULL: packets are printed */
	struct lost_sum {
		const char *key, *text;
		uint64_t cnt;
	} sums[REASONS_MAX]; /* by reason */
	int sums_cnt;
	uint64_t cnt;
	bool is_sample; /* see SAMPLES */
	bool failed;	/* a write has failed, which capture_finish() or check_output() logs */
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

static int open_monitor(struct lost *l)
{
	return lost_monitor_open("show losses", l->o->take_over, &l->monitor);
}

static void close_monitor(struct lost *l)
{
	if (!l->monitor)
		return;
	l->missed += drop_monitor_missed(l->monitor);
	drop_monitor_close(l->monitor);
	l->monitor = NULL;
}

/* Returns 0 when for_ns are over, 1 if there is another reason to end; or -errno, which is logged. */
static int receive(struct lost *l, uint64_t for_ns)
{
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC), left_ns = UINT64_MAX, on_ns = start_ns;
	int result = 0;

	while (!result && left_ns) {
		left_ns = clock_left_ns(start_ns, for_ns);
		result = drop_monitor_poll(l->monitor,
					   left_ns < WAIT_MS * MS ? (int)(left_ns / MS) : WAIT_MS,
					   show_drop, l);
		l->failed |= fflush(stdout) != 0;
		if (!result && clock_ns(CLOCK_MONOTONIC) >= on_ns + ON_NS) {
			result = drop_monitor_turn_on(l->monitor); /* somebody may have stopped it */
			on_ns += ON_NS;
		}
		if (!result)
			result = stop_signal() || l->failed;
	}
	return result < 0 ? diag_err(result, "cannot read the kernel's drop monitor: %s",
				     strerror(-result))
			  : result;
}

/* Returns what receive() does. */
static int receive_samples(struct lost *l)
{
	int result = receive(l, SAMPLE_NS);

	for (int i = 1; i < SAMPLES && !result; i++) {
		close_monitor(l);
		poll(NULL, 0, 1000 - SAMPLE_NS / MS);
		result = stop_signal() ? 1 : open_monitor(l) ?: receive(l, SAMPLE_NS);
	}
	return result;
}

static void log_summary(const struct lost *l, int err)
{
	for (int i = 0; i < l->sums_cnt; i++)
		diag_note("%" PRIu64 " lost: %s (%s)", l->sums[i].cnt, l->sums[i].text,
			  l->sums[i].key);
	if (!l->cnt && !err)
		diag_note("no packet of %s was lost%s", l->f->name,
			  l->is_sample ? " in this sample" : "");
	if (l->o->want_lost)
		diag_note("%" PRIu64 " wanted, of which the newest %d of a kind at most still are",
			  l->packets.wanted, WANT_RING_MAX);
	if (l->packets.unwanted)
		diag_note("%" PRIu64 " not wanted: more than %d a second, or too many of others",
			  l->packets.unwanted, LOST_WANTS_IN_A_SECOND);
	if (l->missed)
		diag_note("%u packets of any kind are not shown: there were too many at once",
			  l->missed);
}

static int show_lost(struct lost *l)
{
	const char *costly = lost_costly_interface(&l->links);
	uint64_t for_ns = l->o->sample.for_ns;
	int err = open_monitor(l);

	if (err)
		return err;
	if (l->o->sample.write)
		err = capture_create(l->o->sample.write, FILE_SNAP, CAPTURE_LIVE, &l->file);
	l->is_sample = costly && !for_ns;
	if (l->is_sample)
		diag_note(LOST_COSTLY ": this takes a sample, %" PRIu64
				      " ms of each of %d seconds" ADVICE
				      "for every packet: --for TIME",
			  costly, SAMPLE_NS / MS, SAMPLES);
	else if (costly)
		diag_note(LOST_COSTLY ": this ends after %s", costly, FORMAT_TIME(for_ns));
	if (!err) {
		diag_note("showing what is lost behind %s; Ctrl-C ends it", l->f->name);
		err = l->is_sample ? receive_samples(l) : receive(l, for_ns);
		err = err < 0 ? err : 0;
	}
	close_monitor(l);
	log_summary(l, err);
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
	if (!err) {
		program_open_to_identify(f.config, true);
		err = show_lost(&l);
		program_close();
	}
	links_free(&l.links);
	filter_close(&f);
	stop_end_by_pipe();
	return err ? EXIT_FAILED : EXIT_DONE;
}
