/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The streams of a filter, for the publisher: names, subjects, ids, and an open filter for each.
 * publish_streams_refresh() adapts them to changes of the filter. A stream lives as long as an
 * event points to it.
 */
#pragma once

#include "message_id.h"
#include "publish_options.h"
#include "stream_check.h"
#include "xdp-dedup-streams.h"
#include "xdp-dedup.h"

/* A present or former stream of the filter. */
struct publish_stream {
	struct publish_stream *next;
	struct xdp_dedup_stream is;
	/* Begins message ids: the first name, in the order of bytes, of the streams that share the
	 * stream's ids. So it depends neither on their order nor on other streams.
	 */
	char realm[32];
	struct xdp_dedup_filter *filter; /* open for calls about its ids */
	bool is_published;		 /* its events can be published */
	int required_n; /* index in requirements.rules, if the stream is in `now` */
	bool is_untaken; /* its JetStream stream does not take it, or another machine makes other ids */
	uint32_t held; /* events that point to it; the intake counts them */
};

struct publish_streams {
	const struct publish_options *options;
	struct xdp_dedup_filter *filter;
	struct publish_stream *all; /* a list: present streams, and former ones with events */
	struct publish_stream *now[STREAMS_MAX];     /* present streams, by number */
	struct xdp_dedup_stream listed[STREAMS_MAX]; /* from which `now` was made */
	int cnt;
	uint32_t change; /* the filter's, when `listed` was read */
	struct message_secret secret;
	bool told_learning; /* logged: the filter learns ids before events are stored */
	struct stream_requirements requirements; /* what the JetStream stream must take */
};

/* Opens the filter, and reads its streams and the secret. Returns 0, and the caller closes *s; or
 * -errno (logged), also if no stream can be published.
 */
int publish_streams_open(struct publish_streams *s, const struct publish_options *o);
void publish_streams_close(struct publish_streams *s);

/* Reads the streams again, and sets s->requirements if they have changed. Returns 1 if they have
 * changed, 0 if not; or -errno if the filter cannot be read now (not logged).
 */
int publish_streams_refresh(struct publish_streams *s);

/* Logs which streams are not published, and why; and once what may be lost. Returns the number of
 * published streams.
 */
int publish_streams_report(struct publish_streams *s);

/* Returns whether the stream's events teach the filter their ids once they are stored: not if they
 * are numbers, as a number may come again before that, for another event; nor if the stream has
 * changed, as its ids may be other bytes now.
 */
bool publish_streams_learns(const struct publish_streams *s, const struct publish_stream *one);

/* Returns the stream of an id; NULL if it is not published. id->change must be s->change. */
struct publish_stream *publish_streams_of(const struct publish_streams *s,
					  const struct xdp_dedup_identity *id);
