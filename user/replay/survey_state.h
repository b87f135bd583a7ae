/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A survey in progress: survey_note.c fills it in, survey_table.c keeps its destinations,
 * survey_advice.c judges it. And one packet of a survey.
 */
#ifndef XDP_DEDUP_SURVEY_STATE_H
#define XDP_DEDUP_SURVEY_STATE_H

#include "capture.h"
#include "histogram.h"
#include "digest.h"
#include "id_table.h"
#include "flow.h"
#include "heuristics.h"
#include "numbers.h"
#include "windowed_max.h"
#include "survey_result.h"

#define SURVEY_AGES_MAX 1536  /* histograms, of 15 KB each */
#define SURVEY_PAIRS_MAX 4096 /* a power of 2 */
#define SURVEY_SENDERS 4096   /* a power of 2 */
#define SURVEY_IFACE_WORDS (CAPTURE_IFACES_MAX / 64)

/* How long a filter with this window knows an id at most, with its timer's lateness. */
#define SURVEY_TURNS(window_ns) ((window_ns)*5 / 2)

/* What one profile finds in one destination's packets, or in all. */
struct candidate {
	struct survey_fit fit;	      /* its counts; ages and judgements are 0 until the end */
	struct windowed_max most_ids; /* the most of its ids in a window */
	struct histogram *ages;	      /* of its copies; NULL: none yet, or too many histograms */
	/* Duplicates that are no copies, though a filter would drop them: they come within two of
	 * the longest windows that fit the profile.
	 */
	uint64_t repeats;
	struct numbers *numbers;	     /* of RTP; else NULL */
	uint64_t ifaces[SURVEY_IFACE_WORDS]; /* a bit for each by which numbers came */
	uint32_t tunnels; /* those that copies, and their first packets, were in */
};

/* One destination. */
struct destination {
	bool used;
	struct survey_destination d;
	struct histogram *ages;				 /* of what is identical */
	struct candidate *candidates[DEDUP_STREAMS_MAX]; /* by stream; NULL: lets none in */
	uint8_t mac[6]; /* of the first destination host; all zero: none */
	bool more_macs; /* packets went to other hosts, too */
	/* survey_feeds.c: */
	uint32_t feed;	     /* the first destination of this feed */
	int best;	     /* the best profile's stream; -1: there is none */
	uint64_t found;	     /* duplicates that it finds */
	uint64_t feed_found; /* in all of the feed */
};

/* Duplicates at destination b of packets that had come to destination a, by the ids of this
 * stream.
 */
struct destination_pair {
	uint16_t a, b;
	uint32_t stream;
	uint64_t cnt; /* 0: unused */
};

/* The destinations. The smallest ones make room for new ones. */
struct survey_table {
	struct destination *destinations;	     /* SURVEY_DESTINATIONS_MAX */
	uint16_t index[2 * SURVEY_DESTINATIONS_MAX]; /* 1 + a destination's number; 0: unused */
	uint32_t used, next; /* next: where to look for an unused destination */
	struct destination_pair pairs[SURVEY_PAIRS_MAX];
	uint32_t pairs_cnt;
	uint32_t ages_cnt; /* histograms in use */
	struct survey_destination others;
	uint32_t others_cnt;
};

struct survey {
	struct profiles profiles;
	uint32_t streams;			 /* one for each profile, in their order */
	uint64_t horizon_ns[DEDUP_STREAMS_MAX];	 /* an older id counts as new */
	heuristic heuristics[DEDUP_STREAMS_MAX]; /* of datagrams; NULL: any may be of the profile */
	int payload, mirror, frames, rtp;	 /* their streams */
	__u64 digest_key[DEDUP_DIGEST_KEYS];
	struct id_table *ids;
	struct survey_table table;
	struct candidate *all[DEDUP_STREAMS_MAX]; /* of the profiles for all traffic */
	uint64_t ip_packets, other_ip_packets;	  /* "other": not UDP */
	/* Of the mirror's copies: those that are surely the packet that came before, and not one
	 * that was sent again.
	 */
	uint64_t sure_copies, other_sure_copies;
	struct survey_ids {
		uint16_t last;
		int8_t differ;
	} ip_ids[SURVEY_SENDERS]; /* by a hash of the sender */
	uint64_t frame_again_ns;  /* how soon a frame that is not IP was sent again; 0: never */
	uint64_t now_ns;
	struct survey_result result;
	bool ifaces_seen[CAPTURE_IFACES_MAX];
	uint8_t *padded;	      /* a frame that the snap length cut, with zeros behind */
	uint8_t *inner;		      /* the packet inside of a frame */
	struct dedup_tunnels tunnels; /* that are opened */
};

/* One packet. */
struct seen {
	const uint8_t *frame;
	uint32_t have, len; /* bytes that were captured; of the frame, zeros behind those */
	uint32_t wire_len, iface, destination;
	uint16_t sender;
	uint8_t mac, to_mac;
	uint8_t host; /* flow_host(), with where the tunnels lead (inside.h) */
	struct flow flow;
	uint32_t tunnels;	  /* that the packet was in; what is above is of the inner packet */
	bool has_ethernet;	  /* the inner packet, too, had an Ethernet header */
	const uint8_t *outer_mac; /* of the outermost frame: its destination; NULL: cut off */
	bool numbered;		  /* the sender's IP ids tell its packets apart */
	bool is_copy;		  /* this IP packet has come before */
	bool is_elsewhere;	  /* to another outer destination */
};

/* An id of this packet, and what is known about the id. */
struct survey_lookup {
	uint32_t stream;
	struct candidate *candidate;
	uint64_t key;
	uint64_t content; /* a digest of what copies have in common; 0: not known */
	uint64_t age_ns;  /* of a duplicate */
	/* Of a numbered stream: survey_numbers.h. */
	uint64_t sender, number;
	uint32_t round;
	bool is_late; /* older than the history */
};

/* Returns the number of the flow's destination, a new one if there is none. A number stays as long
 * as it is in use.
 */
uint32_t survey_find_destination(struct survey_table *t, const struct flow *f);

/* Adds an age to *at; if that is NULL, makes a histogram, unless there are too many. */
void survey_add_age(struct survey_table *t, struct histogram **at, uint64_t ns);

/* Counts cnt duplicates at destination b of packets that had come to destination a, unless there
 * are too many pairs.
 */
void survey_add_pairs(struct survey_table *t, uint32_t stream, uint32_t a, uint32_t b, uint64_t cnt);

void survey_table_free(struct survey_table *t);

/* Fills in s->result. Returns 0, or -ENOMEM. */
int survey_judge(struct survey *s);

#endif
