// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* sample: shows or writes packets that are dropped or new, as they arrive. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "attachments.h"
#include "capture.h"
#include "clock.h"
#include "diag.h"
#include "kept.h"
#include "kernel.h"
#include "loader.h"
#include "open.h"
#include "sample_view.h"
#include "sampling.h"
#include "stop.h"
#include "verbs.h"

#define WAIT_MS 200
#define MS 1000000
#define SNAP_DEFAULT 256

/* Where and how samples are shown. */
struct show {
	const struct options *o;
	const struct filter *f;
	bool all;		  /* of all streams; else only of f->stream */
	struct capture_out *file; /* NULL: samples are printed */
	int64_t to_epoch_ns;
	uint64_t cnt;
	bool failed; /* a write has failed, which capture_finish() or check_output() logs */
};

/* Called again and again, as the wall clock may be set meanwhile. */
static void read_clock(struct show *show)
{
	show->to_epoch_ns = (int64_t)(clock_ns(CLOCK_REALTIME) - kernel_now_ns());
}

static int show_sample(void *arg, const struct dedup_sample *sample)
{
	struct show *show = arg;
	struct sample_view view;

	if (!show->all && kept_of_slot(show->f->config, sample->slot) != show->f->stream)
		return 0; /* of a later stream that has the bit of f->stream's slot */
	if (show->file) {
		const struct capture_frame frame = {
			.data = sample->frame,
			.len = sample->snapped,
			.wire_len = sample->len,
			.ns = sample->time_ns + show->to_epoch_ns,
		};

		show->failed = capture_write(show->file, &frame);
	} else {
		sample_view_make(show->f, sample, show->to_epoch_ns, &view);
		(show->o->json ? sample_view_json : sample_view_text)(&view, stdout);
	}
	if (show->failed)
		return 1;
	return ++show->cnt == show->o->sample.count; /* never for a count of 0 */
}

static struct sampling_request request_of(const struct show *show)
{
	const struct sample_options *s = &show->o->sample;
	const struct filter *f = show->f;
	uint32_t drops = SAMPLING_DROPS;

	if (f->config->asked.ihave_pass) /* they are not dropped, so --drops leaves them out */
		drops &= ~(1U << DEDUP_REASON_ihave_duplicate);
	return (struct sampling_request){
		.reasons = s->drops == s->fresh ? SAMPLING_DROPS | SAMPLING_NEW
			   : s->drops		? drops
						: SAMPLING_NEW,
		.streams = show->all ? UINT32_MAX
				     : 1U << f->config->policy.streams[f->stream].slot % DEDUP_SLOTS,
		.snap = show->o->sample.snap_given ? s->snap
			: s->write		   ? DEDUP_SNAP_MAX
						   : SNAP_DEFAULT,
		.rate = s->rate,
	};
}

static int explain_begin(const struct filter *f, int err, uint32_t pid)
{
	if (err == -EBUSY)
		return diag_err(err,
				"another xdp-dedup sample, process %" PRIu32
				", listens to %s: one can at a time" ADVICE
				"if it was killed, try again in 3 s",
				pid, f->name);
	if (err == -ENOENT || err == -EPROTO || err == -EPERM || err == -EACCES)
		return loader_explain(f->name, err);
	if (err == -ESTALE && hand_has_stopped(f))
		return err;
	return diag_err(err, "cannot listen to %s: %s", f->name, strerror(-err));
}

static int explain_end(const struct filter *f, int err)
{
	if (err == -EBUSY)
		return diag_err(err,
				"held up for too long: another xdp-dedup sample listens to %s now",
				f->name);
	if (err == -ENOENT)
		return diag_err(err, "%s has been unloaded, or resized", f->name);
	if (err == -ESTALE && hand_has_stopped(f))
		return err;
	return diag_err(err, "cannot listen to %s any longer: %s", f->name, strerror(-err));
}

/* Receives samples until a signal, --count, --for or a failure. Returns 0, or -errno (logged). */
static int receive_samples(struct sampling *s, struct show *show)
{
	uint64_t for_ns = show->o->sample.for_ns, left_ns = UINT64_MAX;
	uint64_t start_ns = clock_ns(CLOCK_MONOTONIC);
	int result = 0;

	while (!result && !stop_signal() && left_ns && !show->failed) {
		left_ns = clock_left_ns(start_ns, for_ns);
		read_clock(show);
		result = sampling_poll(s, left_ns < WAIT_MS * MS ? (int)(left_ns / MS) : WAIT_MS);
		show->failed |= fflush(stdout) != 0;
	}
	return result < 0 ? explain_end(show->f, result) : 0;
}

static void log_summary(const struct show *show, const struct sampling_lost *lost)
{
	diag_note("%" PRIu64 " %s; not %s: %" PRIu64 " beyond --rate, %" PRIu64
		  " for want of room in the ring buffer",
		  show->cnt, show->file ? "written" : "shown", show->file ? "written" : "shown",
		  lost->limited, lost->full);
}

static int show_samples(struct show *show, struct filter *f)
{
	bool all = show->all;
	const struct sampling_request spec = request_of(show);
	struct sampling_lost lost;
	struct sampling *s;
	uint32_t pid;
	int err = sampling_begin(f, &spec, (struct sampling_taker){ show_sample, show }, &s, &pid);

	if (err)
		return explain_begin(f, err, pid);
	if (show->o->sample.write)
		err = capture_create(show->o->sample.write, spec.snap, CAPTURE_LIVE, &show->file);
	if (!err) {
		diag_note("listening to %s%s%s, at most %" PRIu32 " a second; Ctrl-C ends it",
			  f->name, all ? "" : "/",
			  all ? "" : f->config->policy.streams[f->stream].name, spec.rate);
		err = receive_samples(s, show);
	}
	read_clock(show);
	sampling_end(s, &lost);
	if (show->file || !show->o->sample.write)
		log_summary(show, &lost);
	if (show->file && capture_finish(show->file))
		err = -EIO;
	return err;
}

int verb_sample(const struct options *o)
{
	const char *what = o->args[0];
	bool all = !strchr(what, '/');
	struct show show = { .o = o, .all = all };
	struct filter f;
	int err;

	if (o->json && o->sample.write)
		return diag_err(EXIT_MISUSED, "sample takes --json or --write, not both");
	if (kernel_ready(o->wish.verbose, false) ||
	    (all ? attachments_open(what, &f) : attachments_open_stream(what, &f)))
		return EXIT_FAILED;
	stop_on_signals(SIGPIPE);
	show.f = &f;
	err = show_samples(&show, &f);
	filter_close(&f);
	stop_end_by_pipe();
	return err ? EXIT_FAILED : EXIT_DONE;
}
