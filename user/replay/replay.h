/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replays a capture through a filter, and counts right and wrong drops. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"
#include "capture.h"
#include "config.h"
#include "counters.h"
#include "engine.h"
#include "sender_list.h"
#include "sources.h"
#include "timeline.h"

#define REPLAY_MEMORY_DEFAULT 1000000000ULL

/* The parameters of a replay. */
struct replay_spec {
	const struct dedup_config *cfg; /* from plan.h; replay_run() adds the secrets */
	enum engine_kind engine;
	const uint8_t *mac; /* frames to it are for this host; NULL: all are */
	uint64_t memory;    /* bytes for the table of ids, by which false positives are found */
	struct capture_out *passed, *dropped; /* get the frames that pass or are dropped; or NULL */

	/* Called every 64 packets, if not NULL. */
	void (*progress)(const struct capture *c, uint64_t packets);
};

/* The results of a stream, or of all packets if the filter has no streams. */
struct replay_stream {
	uint64_t reasons[DEDUP_REASONS_CNT]; /* packets by enum dedup_reason */
	uint64_t bytes;			     /* wire bytes of the frames that were not ignored */
	uint64_t duplicate_bytes;	     /* wire bytes of the dropped frames */
	uint64_t ids;			     /* different ids */
	uint64_t copies;		     /* packets with these ids */
	uint64_t most_copies;		     /* the most packets with one id */
	uint64_t dropped_first; /* false positives: the id did not arrive in the last 2 windows */
	uint64_t missed;	/* copies that pass, as the filter has forgotten their id */
	struct histogram ages;	/* of all copies, since the first packet with the id */
	struct timeline timeline;
	struct sources *sources;
	uint64_t iface_packets[CAPTURE_IFACES_MAX], iface_duplicates[CAPTURE_IFACES_MAX];
};

struct replay_result {
	uint64_t packets;   /* in the file; the filter gets all except the next three */
	uint64_t outgoing;  /* sent by the capturing host */
	uint64_t snapped;   /* cut by the snap length within the fields that the filter reads */
	uint64_t foreign;   /* cannot become Ethernet frames (capture.h) */
	uint64_t bytes;	    /* wire bytes of the packets that the filter gets */
	uint64_t backwards; /* packets whose time is before an earlier packet's */
	uint64_t first_ns, last_ns; /* capture times */
	uint64_t early;		    /* positions aged by load, of `places` in a turn */
	uint64_t known_since_ns;    /* the table of ids has discarded earlier ids; 0: none */
	struct sender_list senders; /* of numbered streams, with --paths */
	/* What all numbered streams would find with the other byte order of misread streams
	 * (misread.h): `found` of the copies. 0: no more, or it was not tried.
	 */
	struct {
		uint64_t found, copies;
		bool little; /* the other order is little-endian */
	} other;
	uint32_t streams_cnt; /* at least 1 */
	struct replay_stream *streams;
};

/* Replays the capture to its end. Returns 0; or -errno (logged) if the capture is cut or corrupt,
 * or the engine fails. *out then has the results before the error; its `streams` are NULL if the
 * replay could not begin. The caller always calls replay_free().
 */
int replay_run(const struct replay_spec *spec, struct capture *c, struct replay_result *out);
void replay_free(struct replay_result *r);
