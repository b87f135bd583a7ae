/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The state of a survey: survey_note.c updates it, survey_table.c stores its destinations,
 * survey_advice.c judges it.
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

#define SURVEY_AGES_MAX 1536  /* histograms of 15 KB */
#define SURVEY_PAIRS_MAX 4096 /* a power of 2 */
#define SURVEY_SENDERS 4096   /* a power of 2 */
#define SURVEY_IFACE_WORDS (CAPTURE_IFACES_MAX / 64)

/* The longest time for which a filter with this window knows an id, including a late timer. */
#define SURVEY_TURNS(window_ns) ((window_ns)*5 / 2)

/* What one profile finds in the packets of one destination, or in all packets. */
struct candidate {
	struct survey_fit fit;	      /* its counts; ages and `why` are set at the end */
	struct windowed_max most_ids; /* the most of its ids in a window */
	struct histogram *ages;	      /* of its copies; NULL: none yet, or too many histograms */
	/* Duplicates that are no copies, but that a filter would drop: they arrived within twice
	 * the longest window that fits the profile.
	 */
	uint64_t repeats;
	struct numbers *numbers;	     /* RTP; else NULL */
	uint64_t ifaces[SURVEY_IFACE_WORDS]; /* a bit for each interface with numbers */
	uint32_t tunnels;		     /* of copies, and of their first packets */
};

/* One destination. */
struct destination {
	bool used;
	struct survey_destination d;
	struct histogram *ages;				 /* of identical packets */
	struct candidate *candidates[DEDUP_STREAMS_MAX]; /* by stream; NULL: fits no packet */
	uint8_t mac[6]; /* the first destination MAC; zeros: none */
	bool more_macs; /* packets went to other hosts, too */
	/* Set by survey_feeds.c: */
	uint32_t feed;	     /* the first destination of this feed */
	int best;	     /* the best profile's stream; -1: none */
	uint64_t found;	     /* duplicates that the best profile finds */
	uint64_t feed_found; /* the sum of `found` in the feed */
};

/* Duplicates at destination b of earlier packets to destination a, by the ids of this stream. */
struct destination_pair {
	uint16_t a, b;
	uint32_t stream;
	uint64_t cnt; /* 0: unused */
};

/* The table of destinations. If it is full, the smallest ones are removed. */
struct survey_table {
	struct destination *destinations;	     /* SURVEY_DESTINATIONS_MAX */
	uint16_t index[2 * SURVEY_DESTINATIONS_MAX]; /* 1 + a destination's number; 0: unused */
	uint32_t used, next; /* next: where the search for an unused destination begins */
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
	heuristic heuristics[DEDUP_STREAMS_MAX]; /* of datagrams; NULL: accepts all */
	int payload, mirror, frames, rtp;	 /* streams of these profiles */
	__u64 digest_key[DEDUP_DIGEST_KEYS];
	struct id_table *ids;
	struct survey_table table;
	struct candidate *all[DEDUP_STREAMS_MAX]; /* of the profiles for all traffic */
	uint64_t ip_packets, other_ip_packets;	  /* "other": not UDP */
	/* The mirror's copies that surely are copies, and were not sent again. */
	uint64_t sure_copies, other_sure_copies;
	struct survey_ids {
		uint16_t last;
		int8_t differ;
	} ip_ids[SURVEY_SENDERS]; /* by a hash of the sender */
	uint64_t frame_again_ns;  /* shortest time after which a frame was sent again; 0: never */
	uint64_t now_ns;
	struct survey_result result;
	bool ifaces_seen[CAPTURE_IFACES_MAX];
	uint8_t *padded;	      /* a cut frame, then zeros */
	uint8_t *inner;		      /* the packet inside of a frame's tunnels */
	struct dedup_tunnels tunnels; /* the tunnels to open */
};

/* One packet. */
struct survey_packet {
	const uint8_t *frame;
	uint32_t have, len; /* captured bytes; the frame's bytes, including zeros after those */
	uint32_t wire_len, iface, destination;
	uint16_t sender; /* a hash of 14 bits */
	uint8_t mac, to_mac;
	uint8_t host; /* flow_host(), mixed with the tunnels' destinations (inside.h) */
	struct flow flow;
	uint32_t tunnels;  /* the packet's tunnels; all fields above are of the inner packet */
	bool has_ethernet; /* the inner packet had an Ethernet header */
	const uint8_t *outer_mac; /* destination MAC of the outermost frame; NULL: cut off */
	bool numbered;		  /* the sender's packets have different IP ids */
	bool is_identical;	  /* to an earlier packet */
	bool is_copy;		  /* this IP packet was captured before */
	bool is_elsewhere;	  /* is_copy: with another destination host */
};

/* An id of this packet, and the survey's knowledge about it. */
struct survey_lookup {
	uint32_t stream;
	struct candidate *candidate;
	uint64_t key;
	uint64_t content; /* a digest of the bytes that are equal in copies; 0: unknown */
	uint64_t age_ns;  /* of a duplicate */
	/* For a numbered stream: survey_numbers.h. */
	uint64_t sender, number;
	uint32_t round;
	bool is_late; /* older than the history */
};

/* Returns the number of the flow's destination, which is added if it is new. It keeps its number as
 * long as it is in the table.
 */
uint32_t survey_find_destination(struct survey_table *t, const struct flow *f);

/* Adds an age to the histogram *at, which is made if it is NULL, unless there are too many. */
void survey_add_age(struct survey_table *t, struct histogram **at, uint64_t ns);

/* Counts cnt duplicates at destination b of earlier packets to destination a, unless there are too
 * many pairs.
 */
void survey_add_pairs(struct survey_table *t, uint32_t stream, uint32_t a, uint32_t b, uint64_t cnt);

void survey_table_free(struct survey_table *t);

/* Sets s->result. Returns 0, or -ENOMEM. */
int survey_judge(struct survey *s);

#endif
