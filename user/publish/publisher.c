// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "publisher.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "clock.h"
#include "diag.h"
#include "event_loop.h"
#include "exit.h"
#include "integers.h"
#include "metrics_file.h"
#include "outbox.h"

#define SEND_US 20000	/* interval of outbox_send_due() */
#define REFRESH_EACH 50 /* intervals until the next intake_refresh() */
/* The longest wait at the end. systemd kills after 90 s by default, and after 45 s on Fedora. */
#define END_MAX_NS 20000000000

struct publisher {
	const struct publish_options *options;
	struct publish_streams streams;
	struct intake intake;
	struct outbox outbox;
	struct metrics_file metrics;

	sd_event *events;
	sd_event_source *packets;
	sd_event_source *timer;
	unsigned int intervals; /* of the timer, until the next intake_refresh() */
	bool is_ready;		/* systemd was notified */
	bool is_ending;		/* no more packets are taken */
	uint64_t end_ns;	/* the end of the wait then */
};

/* Pauses reading packets while there is no room, or the filter cannot be read. */
static void update_sources(struct publisher *p)
{
	bool is_paused = p->is_ending || p->intake.is_unreadable ||
			 !pending_room(&p->outbox.pending, INTAKE_PAYLOAD_MAX);

	if (p->packets)
		sd_event_source_set_enabled(p->packets, is_paused ? SD_EVENT_OFF : SD_EVENT_ON);
}

static int on_server(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct publisher *p = arg;
	enum server_state state = outbox_receive(&p->outbox);

	(void)source, (void)fd, (void)revents;
	if (state == SERVER_FAILED)
		return sd_event_exit(p->events, EXIT_FAILED);
	if (p->options->check && state == SERVER_UP)
		return sd_event_exit(p->events, EXIT_DONE);
	if (!p->is_ready && outbox_publishes(&p->outbox))
		sd_notify(0, "READY=1");
	p->is_ready |= outbox_publishes(&p->outbox);
	update_sources(p);
	return 0;
}

static int on_packets(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct publisher *p = arg;
	uint32_t room = pending_room(&p->outbox.pending, INTAKE_PAYLOAD_MAX);

	(void)source, (void)fd, (void)revents;
	if (p->is_ending || !room)
		return 0;
	intake_take(&p->intake, room < INTAKE_BATCH ? room : INTAKE_BATCH, outbox_add, &p->outbox);
	update_sources(p);
	return 0;
}

static int on_timer(sd_event_source *source, uint64_t usec, void *arg)
{
	struct publisher *p = arg;

	(void)source, (void)usec;
	outbox_send_due(&p->outbox);
	if (!p->intervals--) {
		p->intervals = REFRESH_EACH;
		if (!p->is_ending && p->packets && intake_refresh(&p->intake))
			return sd_event_exit(p->events, EXIT_FAILED);
	}
	update_sources(p);
	if (p->is_ending &&
	    (!pending_count(&p->outbox.pending) || clock_ns(CLOCK_MONOTONIC) > p->end_ns))
		return sd_event_exit(p->events, EXIT_DONE);
	return timer_arm(p->events, &p->timer, SEND_US, on_timer, p);
}

/* Stops taking packets, and waits for acknowledgements of pending messages. A second signal exits. */
static int on_signal(sd_event_source *source, const struct signalfd_siginfo *info, void *arg)
{
	struct publisher *p = arg;

	(void)source;
	if (p->options->check) {
		diag_err(0, "ended by signal %u before all was checked", info->ssi_signo);
		return sd_event_exit(p->events, EXIT_FAILED);
	}
	if (p->is_ending)
		return sd_event_exit(p->events, EXIT_DONE);
	sd_notify(0, "STOPPING=1");
	p->is_ending = true;
	update_sources(p);
	if (p->outbox.state != SERVER_UP)
		return sd_event_exit(p->events, EXIT_DONE);
	p->end_ns = clock_ns(CLOCK_MONOTONIC) + lesser(p->options->ack_timeout_ns, END_MAX_NS);
	return 0;
}

/* Starts to write metrics, by default to publish-FILTER.prom. */
static void configure_metrics(struct publisher *p)
{
	const struct publish_options *o = p->options;
	char name[128];

	snprintf(name, sizeof(name), "publish-%s", o->filter);
	p->metrics = (struct metrics_file){ .events = p->events,
					    .write = publish_metrics_write,
					    .arg = &p->outbox };
	metrics_file_configure(&p->metrics, o->metrics, name, o->metrics_every_ns);
}

static int open_loop(struct publisher *p)
{
	struct loop_signal signals[] = {
		{ SIGTERM, on_signal }, { SIGINT, on_signal }, { SIGHUP, on_signal }, { 0 }
	};
	struct sigaction hangup;
	int err;

	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler == SIG_IGN) /* nohup */
		signals[2].signal = 0;
	signal(SIGPIPE, SIG_IGN);
	err = loop_open(&p->events, signals, p);
	return err < 0 ? diag_err(err, "no event loop: %s", strerror(-err)) : 0;
}

static int run_loop(struct publisher *p)
{
	bool publishes = !p->options->check;
	int err = publishes ? intake_open(&p->intake, p->options, &p->streams) : 0;

	err = err ?: outbox_open(&p->outbox, p->options, &p->streams, &p->intake);
	if (err)
		return err;
	if (publishes)
		configure_metrics(p);
	err = sd_event_add_io(p->events, NULL, p->outbox.server->fd, EPOLLIN, on_server, p);
	if (err >= 0 && publishes)
		err = sd_event_add_io(p->events, &p->packets, p->intake.epoll, EPOLLIN, on_packets,
				      p);
	if (err >= 0)
		err = timer_arm(p->events, &p->timer, 1, on_timer, p);
	if (err < 0)
		return diag_err(err, "no event loop: %s", strerror(-err));
	return sd_event_loop(p->events);
}

static void close_publisher(struct publisher *p)
{
	outbox_close(&p->outbox);
	metrics_file_close(&p->metrics);
	sd_event_source_unref(p->packets);
	sd_event_source_unref(p->timer);
	intake_close(&p->intake);
	publish_streams_close(&p->streams);
	sd_event_unref(p->events);
}

int publisher_run(const struct publish_options *o)
{
	struct publisher p = { .options = o, .intake.epoll = -1 };
	int err = publish_streams_open(&p.streams, o);

	if (err)
		return EXIT_FAILED;
	err = open_loop(&p) ?: run_loop(&p);
	close_publisher(&p);
	return err < 0 ? EXIT_FAILED : err;
}
