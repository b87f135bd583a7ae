/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The parts of a survey: its state, and the functions of each survey_*.c by its name, in the order
 * in which a packet meets them.
 */
#pragma once

#include "capture.h"
#include "digest.h"
#include "flow.h"
#include "heuristics.h"
#include "histogram.h"
#include "id_table.h"
#include "inside.h"
#include "program.h"
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
	/* For a numbered stream: */
	uint64_t sender, number;
	uint32_t round;
	bool is_late; /* older than the history */
};

/* survey_table.c */

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

/* survey_tunnels.c */

/* Counts a frame by its tunnels. `inside`: from inside_open(); `kind`: the inner packet's. */
void survey_tunnels_note(struct survey_tunnel tunnels[DEDUP_TUNNELS_CNT],
			 const struct capture_frame *f, const struct inside *inside,
			 enum survey_kind kind);

/* survey_ids.c: the ids that the streams find in a packet. */

/* Returns whether the stream is for all traffic, instead of for some destinations. */
bool survey_ids_of_all_traffic(const struct survey *s, uint32_t stream);

/* Finds the packet's ids, by all streams in their order, and prefetches their entries. `out` has
 * room for DEDUP_STREAMS_MAX. Returns their number, or -ENOMEM.
 */
int survey_ids_find(struct survey *s, const struct survey_packet *seen, struct survey_lookup *out);

/* Returns a digest of bytes, never 0. Of bytes beyond DEDUP_DIGEST_MAX only the number counts. */
uint64_t survey_ids_digest(const struct survey *s, const void *bytes, uint32_t len);

/* Returns a digest of the whole frame, without the bits that the stream's id masks, and without
 * those of the path; 0 if the frame was cut.
 */
uint64_t survey_ids_masked_digest(struct survey *s, const struct survey_packet *seen,
				  const struct dedup_stream *st);

/* survey_numbers.c: numbers of numbered streams. A number that repeats after the numbers have
 * wrapped is no duplicate. So the survey counts each sender's rounds by the filter's rules: a
 * number is the one nearest to the highest number so far (include/numbering.h), and numbering
 * restarts after the stream's `reset`. Senders are in the table of ids, which limits their memory.
 */

/* Returns whether the stream is numbered. */
bool survey_numbers_is(const struct survey *s, uint32_t stream);

/* Sets at->sender and at->number of a packet with this id; the stream is numbered. */
void survey_numbers_read(const struct survey *s, const struct program_id *id,
			 struct survey_lookup *at);

/* Finds the sender of a packet whose at->content is set, and notes the packet. Senders with equal
 * names at two destinations are one sender if a packet with equal bytes arrived at both. Sets
 * at->key to the number's key in the table of ids, and at->round and at->is_late. Returns 0, or
 * -ENOMEM.
 */
int survey_numbers_note(struct survey *s, const struct survey_packet *seen, struct survey_lookup *at);

/* survey_note.c: whether a packet's ids are new, and the kinds of duplicates. */

#define SURVEY_MARK_BYTES 16 /* the survey's data in an id's entry (id_table.h) */

/* Notes all ids, those of packet and payload first: others depend on them. Returns 0 or -ENOMEM. */
int survey_note_ids(struct survey *s, struct survey_packet *seen, struct survey_lookup *ids, int cnt);

/* Notes a frame that is not IP: whether it is identical to an earlier one. Returns 0 or -ENOMEM. */
int survey_note_frame(struct survey *s, struct survey_packet *seen);

/* survey_sum.c: sums of counts over the destinations of a feed, and whether a profile is worth it. */

#define SURVEY_GAIN_LEAST 10	 /* the fewest duplicates for which a profile is worth it */
#define SURVEY_DIFFERS_PART 0.01 /* the most duplicates with other bytes: else the id is wrong */
#define SURVEY_FEED_PART 0.05	 /* the fewest common packets of two destinations of a feed */

/* The counts of one stream at all destinations of a feed. */
struct survey_sum {
	uint64_t packets, duplicates, copies, found, differ;
	uint64_t repeats, other_host, flood;
	uint64_t go_on, jump, ids; /* of RTP's numbers */
	uint64_t p99_ns;
};

/* Returns the longest window that fits the profile. */
uint64_t survey_sum_window_max(const struct profile *p);

/* Returns cnt * part / whole; 0 if `whole` is 0. */
uint64_t survey_sum_scaled(uint64_t cnt, uint64_t part, uint64_t whole);

/* Returns how many of the candidate's copies a filter with this window finds: a filter for its
 * destination or, with is_feed, for its feed.
 */
uint64_t survey_sum_found(const struct candidate *c, bool is_feed, uint64_t window_ns);

/* Adds a candidate's counts to the sums, for a window of cap_ns. */
void survey_sum_add(struct survey_sum *sum, const struct candidate *c, bool is_feed, uint64_t cap_ns);

/* Returns whether this many duplicates among this many packets are worth a filter. */
bool survey_sum_is_gain(uint64_t found, uint64_t packets);

/* Returns whether cnt is more than this part (0 to 1) of the whole. */
bool survey_sum_is_part(uint64_t cnt, double part, uint64_t whole);

/* Judges a profile by its sums, for this many packets. Returns the reason against it; SURVEY_BEST
 * if these sums give none.
 */
enum survey_why survey_sum_judge(const struct profile *p, const struct survey_sum *sum,
				 uint64_t packets);

/* Sets the ages of *d; `ages` may be NULL. */
void survey_sum_set_ages(struct survey_duplicates *d, const struct histogram *ages);

/* Ends the counts of a candidate, and copies them to *out for the survey's result. */
void survey_sum_finish(struct survey_fit *out, struct candidate *c, const struct profile *p);

/* survey_feeds.c: destinations that get equal packets form a feed, which has one best profile. */

/* Finds the feeds, and chooses the best profile of each: sets `feed`, `best`, `found` and
 * `feed_found` of its destinations, and `why` of their candidates.
 */
void survey_feeds_judge(struct survey *s);

/* Writes the destinations to the survey's result, those with the largest gain first, and numbers
 * the feeds. `order` has room for SURVEY_DESTINATIONS_MAX, and gets the destinations in the
 * result's order. Returns 0 or -ENOMEM.
 */
int survey_feeds_list(struct survey *s, struct destination **order);

/* survey_draft.c: composes a filter that the survey recommends. */

#define SURVEY_WINDOW_LEAST_NS (100 * UINT64_C(1000000))

struct survey_draft {
	struct survey *s;
	struct survey_filter *out;
	uint64_t cap_ns;  /* the longest window that fits all profiles */
	uint64_t p99_ns;  /* the shortest window that finds 99 % of each profile's duplicates */
	uint64_t need_ns; /* the recommended window, with headroom */
	uint32_t ports_cnt, to_cnt, realms;
	uint32_t feeds[DEDUP_STREAMS_MAX];
	uint32_t feeds_cnt;
	const struct candidate *frames; /* for frames that are not IP; NULL: not in the filter */
	/* True: each destination of a numbered feed has its own stream, and so is a path. False: a
	 * stream has as many destinations as possible.
	 */
	bool apart;
	/* The interfaces of each stream's numbers: a bit for each. */
	uint64_t ifaces[DEDUP_STREAMS_MAX][SURVEY_IFACE_WORDS];
};

/* Extends the window for duplicates that this profile finds: to at least least_ns, and at most the
 * longest one that fits the profile. Numbers need no window. Returns false if no window fits all.
 */
bool survey_draft_window(struct survey_draft *d, const struct profile *p, uint64_t p99_ns,
			 uint64_t least_ns);

/* Adds a stream of this profile, in a new realm, for the packets of this candidate. */
void survey_draft_add(struct survey_draft *d, const struct profile *p, const struct candidate *c);

/* Adds the feeds with the largest gain that fit and are not in `taken`, and sets them in `taken`.
 * `order`: from survey_feeds_list(). Returns how many do not fit.
 */
uint32_t survey_draft_streams(struct survey_draft *d, struct destination *const *order, bool *taken);

/* Returns the index of the window in WINDOWED_MAX_WINDOW_NS. */
uint32_t survey_draft_window_of(const struct survey_draft *d);

/* Sets the rest of the filter: window and capacity, or their defaults if all streams are numbered;
 * the paths of numbered streams; the tunnels of copies; and how many duplicates it drops. for_all:
 * the stream of the filter's profile for all traffic; -1: none.
 */
void survey_draft_finish(struct survey_draft *d, int for_all);

/* survey_advice.c: sets s->result. Returns 0, or -ENOMEM. */
int survey_judge(struct survey *s);
