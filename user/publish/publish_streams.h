/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The streams of a filter, as the publisher needs them: names, subjects, ids, and the filter open
 * for calls about ids. They follow changes of the filter. What an event points to stays as long as
 * the event.
 */
#ifndef XDP_DEDUP_PUBLISH_STREAMS_H
#define XDP_DEDUP_PUBLISH_STREAMS_H

#include "message_id.h"
#include "publish_options.h"
#include "stream_check.h"
#include "subject.h"
#include "xdp-dedup-streams.h"
#include "xdp-dedup.h"

#define PUBLISH_STREAMS_MAX 16

/* A stream of the filter, as it was or is. */
struct publish_stream {
	struct publish_stream *next;
	struct xdp_dedup_stream is;
	char realm[32]; /* for the id of a message; "": the filter has one stream */
	char subject[SUBJECT_MAX];
	struct xdp_dedup_filter *filter; /* open for its ids */
	bool is_published;		 /* its events can be */
	int subject_n;			 /* of the wish's subjects, while it is one of `now` */
	bool is_untaken;		 /* the JetStream stream does not take its subject */
	uint32_t held;			 /* events that point to it: the intake counts them */
};

struct publish_streams {
	const struct publish_options *options;
	struct xdp_dedup_filter *filter;
	struct publish_stream *all;			 /* a list: those of `now`, and held ones */
	struct publish_stream *now[PUBLISH_STREAMS_MAX]; /* by number */
	struct xdp_dedup_stream listed[PUBLISH_STREAMS_MAX]; /* as `now` was made */
	int cnt;
	uint32_t change; /* of the filter, when it was listed */
	struct message_secret secret;
	struct stream_wish wish; /* for the JetStream stream */
};

/* Opens the filter and reads its streams, and the secret. Returns 0, and the caller closes it; or
 * -errno (logged), also if no stream can be published.
 */
int publish_streams_open(struct publish_streams *s, const struct publish_options *o);
void publish_streams_close(struct publish_streams *s);

/* Reads the streams again, and makes the wish for them: 1 if they have changed, 0 if not; -errno if
 * the filter cannot be read now (not logged).
 */
int publish_streams_refresh(struct publish_streams *s);

/* Says which streams are not published, and why. Returns how many are. */
int publish_streams_report(const struct publish_streams *s);

/* The stream of an id of this list (id->change is s->change); NULL if it is not published. */
struct publish_stream *publish_streams_of(const struct publish_streams *s,
					  const struct xdp_dedup_identity *id);

#endif
