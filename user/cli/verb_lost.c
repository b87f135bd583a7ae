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
#include "device.h"
#include "diag.h"
#include "kernel.h"
#include "links.h"
#include "lost_reason.h"
#include "open.h"
#include "program.h"
#include "sample_view.h"
#include "stop.h"
#include "units.h"
#include "verbs.h"
#include "want_ring.h"

#define WAIT_MS 200
#define MS 1000000
#define SECOND_NS 1000000000
#define FILE_SNAP 262144
#define WANTS_IN_A_SECOND 10000 /* each takes two system calls */
#define REASONS_MAX 32
/* Time without --for, if the kernel also reports the filter's drops: each then costs fivefold. */
#define COSTLY_NS (10 * 1000 * UINT64_C(1000000))

/* What is shown, and what has been shown. */
struct lost {
	const struct options *o;
	struct filter *f;
	struct attachments at;
	struct links links;
	struct capture_out *file; /* NULL: packets are printed */
	struct lost_sum {
		const char *key, *text;
		uint64_t cnt;
	} sums[REASONS_MAX]; /* by reason */
	int sums_cnt;
	uint64_t cnt, missed;
	struct want_ring *wants;    /* of --want; else NULL */
	uint64_t want_second, left; /* so many more may be wanted in this second */
	uint64_t unwanted;	    /* lost packets that were not wanted: too many, or an error */
	bool failed; /* a write has failed, which capture_finish() or check_output() logs */
};

/* Returns the filter's interface, of this network namespace, on which the packet came in, or below
 * the device to which it then went (a VLAN, bond, bridge); NULL if it came elsewhere.
 */
static const struct attachment *interface_of(const struct lost *l, const struct drop *d)
{
	for (int i = 0; i < l->at.cnt; i++) {
		const struct attachment *a = &l->at.list[i];

		if (a->local &&
		    (a->ifindex == d->ifindex || links_is_on(&l->links, d->ifindex, a->ifindex)))
			return a;
	}
	return NULL;
}

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

static void print(const struct lost *l, const struct drop *d, const struct program_id *id,
		  const char *ifname, const struct lost_reason *reason)
{
	struct sample_view view;

	sample_view_of_frame(l->f->config, id, d->frame, d->have, &view);
	view.time_ns = d->time_ns;
	view.verdict = "lost";
	view.reason = reason->key;
	view.ifindex = d->ifindex;
	view.len = d->len;
	snprintf(view.iface, sizeof(view.iface), "%s", ifname);
	(l->o->json ? sample_view_json : sample_view_text)(&view, stdout);
}

/* Wants the packet's id, so that its next copy passes. */
static void want(struct lost *l, const struct program_id *id)
{
	uint64_t second = clock_ns(CLOCK_MONOTONIC) / SECOND_NS;

	if (second != l->want_second) {
		l->want_second = second;
		l->left = WANTS_IN_A_SECOND;
	}
	if (!l->left || want_ring_add(l->wants, l->f, &id->id, id->stream) < 0)
		l->unwanted++;
	l->left -= !!l->left;
}

static int show_drop(void *arg, const struct drop *d)
{
	const struct lost_reason *reason = lost_reason_of(d);
	struct lost *l = arg;
	const struct attachment *at = interface_of(l, d);
	struct program_id id;

	if (lost_is_by_xdp(d) || !at)
		return 0;
	program_identify(d->frame, d->have, &id);
	/* An IHAVE has many ids. */
	if (id.reason >= 0 && id.reason != DEDUP_REASON_ihave_new)
		return 0;
	count(l, reason);
	if (l->wants && reason->may_be_wanted && id.reason < 0)
		want(l, &id);
	if (l->file) {
		const struct capture_frame frame = {
			.data = d->frame, .len = d->have, .wire_len = d->len, .ns = d->time_ns
		};

		l->failed = capture_write(l->file, &frame);
	} else {
		print(l, d, &id, at->ifname, reason);
	}
	return l->failed || l->cnt == l->o->sample.count; /* never for a count of 0 */
}

/* Opens the packet program, which finds ids. It does not compare MACs: if a packet was for another
 * host, the kernel's reason says so.
 */
static int open_program(const struct filter *f)
{
	struct dedup_config *cfg = malloc(sizeof(*cfg));
	int err;

	if (!cfg)
		return diag_err(-ENOMEM, "out of memory");
	*cfg = *f->config;
	cfg->policy.forwarded = 1;
	for (uint32_t i = 0; i < cfg->policy.streams_cnt; i++)
		cfg->policy.streams[i].forwarded = 1;
	err = program_open(cfg, false, 2 * cfg->memory.window_ns);
	free(cfg);
	return err ? diag_err(err, "out of memory") : 0;
}

/* Returns an interface on which the kernel makes buffers of packets before the filter drops them;
 * NULL if there is none. An interface whose driver is unknown counts as one.
 */
static const char *costly_interface(const struct lost *l)
{
	char driver[DEVICE_DRIVER_MAX];

	for (int i = 0; i < l->at.cnt; i++) {
		const struct attachment *a = &l->at.list[i];

		if (a->local && (a->mode == MODE_SKB || device_driver(a->ifname, driver) ||
				 !strcmp(driver, "veth")))
			return a->ifname;
	}
	return NULL;
}

static int explain_open(int err)
{
	if (err == -ENOENT)
		return diag_err(err, "there is no drop monitor here: the kernel lacks it "
				     "(CONFIG_NET_DROP_MONITOR), or this is not the initial "
				     "network namespace" ADVICE "`status` has the figures");
	if (err == -EBUSY)
		return diag_err(err, "the kernel's drop monitor is on already, and there is one on a "
				     "machine: dropwatch, another xdp-dedup lost, or one that was "
				     "killed" ADVICE "--force stops it");
	if (err == -EPERM || err == -EACCES)
		return diag_err(err, "the kernel's drop monitor needs root");
	return diag_err(err, "cannot start the kernel's drop monitor: %s", strerror(-err));
}

static int receive(struct drop_monitor *m, struct lost *l, uint64_t for_ns)
{
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC), left_ns = UINT64_MAX;
	int result = 0;

	while (!result && !stop_signal() && left_ns && !l->failed) {
		left_ns = clock_left_ns(start_ns, for_ns);
		result = drop_monitor_poll(m, left_ns < WAIT_MS * MS ? (int)(left_ns / MS) : WAIT_MS,
					   show_drop, l, &l->missed);
		l->failed |= fflush(stdout) != 0;
	}
	return result < 0 ? diag_err(result, "cannot read the kernel's drop monitor: %s",
				     strerror(-result))
			  : 0;
}

static void log_summary(const struct lost *l, int err)
{
	for (int i = 0; i < l->sums_cnt; i++)
		diag_note("%" PRIu64 " lost: %s (%s)", l->sums[i].cnt, l->sums[i].text,
			  l->sums[i].key);
	if (!l->cnt && !err)
		diag_note("no packet of %s was lost", l->f->name);
	if (l->wants)
		diag_note("%" PRIu64 " wanted, of which the newest %d at most still are",
			  l->wants->cnt, WANT_RING_MAX);
	if (l->unwanted)
		diag_note("%" PRIu64 " not wanted: more than %d a second, or too many of others",
			  l->unwanted, WANTS_IN_A_SECOND);
	if (l->missed)
		diag_note("there were more: this process was too slow for them");
}

static int show_lost(struct lost *l)
{
	const char *costly = costly_interface(l);
	uint64_t for_ns = l->o->sample.for_ns;
	struct drop_monitor *m;
	int err = drop_monitor_open(l->o->take_over, &m);

	if (err)
		return explain_open(err);
	if (l->o->sample.write)
		err = capture_create(l->o->sample.write, FILE_SNAP, CAPTURE_LIVE, &l->file);
	if (costly) {
		for_ns = for_ns ?: COSTLY_NS;
		diag_note("on %s the kernel reports what the filter drops, too, which slows it down: "
			  "this ends after %s",
			  costly, FORMAT_TIME(for_ns));
	}
	if (!err) {
		diag_note("showing what is lost behind %s; Ctrl-C ends it", l->f->name);
		err = receive(m, l, for_ns);
	}
	drop_monitor_close(m);
	log_summary(l, err);
	if (l->file && capture_finish(l->file))
		err = -EIO;
	return err;
}

int verb_lost(const struct options *o)
{
	struct lost l = { .o = o };
	struct filter f;
	int err;

	if (o->json && o->sample.write)
		return diag_err(EXIT_MISUSED, "lost takes --json or --write, not both");
	if (kernel_ready(o->wish.verbose, false) || attachments_open(o->args[0], &f))
		return EXIT_FAILED;
	stop_on_signals(SIGPIPE);
	l.f = &f;
	err = links_read(&l.links) ?: attachments_read(&f, &l.links, &l.at);
	if (err)
		diag_err(err, "cannot read the interfaces of %s: %s", f.name, strerror(-err));
	if (!err && o->want_lost) {
		l.wants = calloc(1, sizeof(*l.wants));
		err = l.wants ? 0 : diag_err(-ENOMEM, "out of memory");
	}
	if (!err)
		err = open_program(&f);
	if (!err) {
		err = show_lost(&l);
		program_close();
	}
	free(l.wants);
	links_free(&l.links);
	filter_close(&f);
	stop_end_by_pipe();
	return err ? EXIT_FAILED : EXIT_DONE;
}
