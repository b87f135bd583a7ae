/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replays a capture through a filter: what the filter would have dropped, and whether that would
 * have been right.
 */
#ifndef XDP_DEDUP_REPLAY_H
#define XDP_DEDUP_REPLAY_H

#include <stdint.h>

#include "histogram.h"
#include "capture.h"
#include "config.h"
#include "counters.h"
#include "engine.h"
#include "sender_list.h"
#include "sources.h"

#define REPLAY_MEMORY_DEFAULT 1000000000ULL

/* The parameters of a replay. */
struct replay_spec {
	const struct dedup_config *cfg; /* of plan.h: without secrets, which replay_run() draws */
	enum engine_kind engine;
	const uint8_t *mac; /* frames to it are for this host; NULL: all are */
	uint64_t memory;    /* bytes for the ids that came, which show false positives */
	struct capture_out *passed, *dropped; /* frames are written to them; NULL: not */

	/* Called every 64 packets, if not NULL. */
	void (*progress)(const struct capture *c, uint64_t packets);
};

/* The results of a stream; of all packets, if the filter has no streams. */
struct replay_stream {
	uint64_t reasons[DEDUP_REASONS_CNT]; /* packets by enum dedup_reason */
	uint64_t bytes;		  /* of the frames that were not ignored, as on the wire */
	uint64_t duplicate_bytes; /* of those that are dropped */
	uint64_t ids;		  /* that had not come before */
	uint64_t copies;	  /* packets with one of these ids */
	uint64_t most_copies;	  /* of one id */
	uint64_t dropped_first; /* duplicates whose id had not come within 2 windows: false ones */
	uint64_t missed;	/* copies that pass: their id came, but too long ago */
	struct histogram ages;	/* of all copies: since the first packet with that id */
	struct sources *sources;
	uint64_t iface_packets[CAPTURE_IFACES_MAX], iface_duplicates[CAPTURE_IFACES_MAX];
};

struct replay_result {
	uint64_t packets;	    /* in the file; the filter gets all but these: */
	uint64_t outgoing;	    /* sent by the host that captured */
	uint64_t snapped;	    /* cut by the snap length before the fields that matter */
	uint64_t foreign;	    /* cannot become Ethernet frames (capture.h) */
	uint64_t bytes;		    /* of the packets that the filter gets, as on the wire */
	uint64_t backwards;	    /* whose time is before an earlier packet's */
	uint64_t first_ns, last_ns; /* capture times */
	uint64_t early;		    /* places aged by load, of `places` a turn */
	uint64_t known_since_ns;    /* earlier ids are forgotten here; 0: none is */
	struct sender_list senders; /* of numbered streams, with --paths */
	uint32_t streams_cnt;	    /* at least 1 */
	struct replay_stream *streams;
};

/* Replays the capture to its end. Returns 0; or -errno (logged) if the capture is cut or corrupt,
 * or the engine fails. *out then has the results up to there; its `streams` are NULL if the replay
 * could not begin. The caller calls replay_free() in any case.
 */
int replay_run(const struct replay_spec *spec, struct capture *c, struct replay_result *out);
void replay_free(struct replay_result *r);

#endif
