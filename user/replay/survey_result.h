/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a survey (survey.h) finds, and what it recommends.
 *
 * A destination is a UDP or TCP port, another IP protocol, or an EtherType; for multicast together
 * with the group. The two directions of TCP are one destination, by the lower port.
 *
 * "Identical" compares: of UDP the payload, which for unicast must come to one port; of other IP
 * the packet, without what routers and taps change; else the frame.
 */
#ifndef XDP_DEDUP_SURVEY_RESULT_H
#define XDP_DEDUP_SURVEY_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "profile.h"
#include "spec.h"

/* With more destinations at a time, the smallest ones are counted in survey_result.others. */
#define SURVEY_DESTINATIONS_MAX 2048
#define SURVEY_ADDRESSES_MAX 4

enum survey_kind { SURVEY_UDP, SURVEY_TCP, SURVEY_IP, SURVEY_ETHERNET };

/* Packets that came before. Ages count from the first packet of an id, in ns: at most 1/32 too
 * high. For a fit they are the ages of its copies.
 */
struct survey_duplicates {
	uint64_t packets, bytes; /* bytes on the wire */
	uint64_t median_ns, p99_ns, greatest_ns;
};

/* Why a profile does not suit a destination, or all traffic. */
enum survey_why {
	SURVEY_BEST,
	SURVEY_FITS_FEW,     /* of the packets: the others are of something else */
	SURVEY_FINDS_NONE,   /* no duplicates, or too few to gain anything */
	SURVEY_NO_NUMBERS,   /* what would be RTP's numbers do not go on */
	SURVEY_DIFFERS,	     /* its duplicates have other bytes than the packets before them */
	SURVEY_OTHER_HOST,   /* unicast to several hosts, each of which wants it */
	SURVEY_SAME_SENDER,  /* the sender repeats itself, perhaps on purpose */
	SURVEY_FLOOD,	     /* one packet comes again and again */
	SURVEY_TOO_OLD,	     /* later than the longest window that fits the profile */
	SURVEY_FINDS_FEWER,  /* than another one */
	SURVEY_LESS_SPECIFIC /* than another one that finds as much */
};

/* What a profile finds in a destination's packets, or in all. */
struct survey_fit {
	const struct profile *profile;
	uint64_t packets; /* let in by its gates, and look like its protocol's */
	uint64_t snapped; /* of these: cut by the snap length before the id's end */
	uint64_t ids;	  /* different ones; an id that comes again much later counts again */
	struct survey_duplicates duplicates;
	/* Of the duplicates: */
	uint64_t in_window; /* within the profile's window, or the default one; numbers: all copies */
	uint64_t elsewhere;   /* copies: the earlier packets went to other destinations only */
	uint64_t other_iface; /* the first packet came by another interface */
	uint64_t same_sender; /* another packet of the first one's sender */
	uint64_t other_host;  /* unicast to another host than the first packet */
	uint64_t flood;	      /* of a packet that comes more than 8 times at once */
	uint64_t copies;      /* none of the three before: it is right to drop them */
	uint64_t differ;      /* have other bytes, beside those that the id masks */
	uint64_t window_ns;   /* a window that finds 99 % of them; 0: there are none */
	enum survey_why why;
};

/* Frames in a tunnel of one kind. */
struct survey_tunnel {
	uint64_t packets, bytes;	      /* that were looked into; bytes on the wire */
	uint64_t inside[SURVEY_ETHERNET + 1]; /* of these packets: the inner ones, by their kind */
	uint64_t truncated, bad;	      /* besides: cut; with a malformed header */
	uint8_t addresses[SURVEY_ADDRESSES_MAX][16]; /* destinations of outermost IP headers */
	bool ipv4[SURVEY_ADDRESSES_MAX];	     /* an address is in its first 4 bytes */
	uint32_t addresses_cnt;
	bool more_addresses;
};

struct survey_destination {
	enum survey_kind kind;
	uint16_t number; /* port, protocol or EtherType, in host order */
	bool ipv4;	 /* the group, or the addresses, are of IPv4: in their first 4 bytes */
	bool multicast;
	uint8_t addresses[SURVEY_ADDRESSES_MAX][16]; /* the group; else the first ones seen */
	uint32_t addresses_cnt;
	bool more_addresses;
	uint64_t packets, bytes;
	struct survey_duplicates identical;
	struct survey_fit fits[DEDUP_STREAMS_MAX]; /* profiles that let at least one packet in */
	uint32_t fits_cnt;
	const struct survey_fit *best; /* of fits; NULL: nothing to gain */
	/* Feeds: destinations with one number above 0 get each other's packets. */
	uint32_t feed;
};

/* A recommended filter, which only counts. */
struct survey_filter {
	/* Streams have their profiles' names; those of a realm stand side by side. No streams:
	 * nothing is recommended. paths: 0 if no stream is numbered.
	 */
	struct filter_spec spec;
	uint64_t drops, drop_bytes; /* it drops at least this many of these packets */
	uint64_t window_ids;	    /* ids that came in one window, at most */
	bool several_ifaces;	    /* copies came by different interfaces */
	bool other_hosts;	    /* its packets went to several hosts' MACs */
};

struct survey_result {
	uint64_t packets, bytes;    /* that were looked at */
	uint64_t outgoing;	    /* besides: sent by the host that captured them */
	uint64_t first_ns, last_ns; /* of the packets looked at */
	uint64_t snapped;	    /* packets cut by the snap length */
	uint64_t known_since_ns;    /* duplicates of earlier packets were not found; 0: all were */
	uint32_t ifaces_cnt;	    /* by which packets came */
	struct survey_destination *destinations; /* those where most can be saved first */
	uint32_t destinations_cnt;
	struct survey_destination others;	  /* those that were too many to tell apart */
	uint32_t others_cnt;			  /* destinations in them, at least */
	struct survey_fit all[DEDUP_STREAMS_MAX]; /* for all traffic: mirror, mirror-l2, prp */
	uint32_t all_cnt;
	/* By kind; a frame in two tunnels counts in both. Destinations and fits are those of inner
	 * packets.
	 */
	struct survey_tunnel tunnels[DEDUP_TUNNELS_CNT];

	/* What is recommended: */
	enum survey_advice {
		SURVEY_NOTHING, /* nothing to gain */
		SURVEY_MIRROR,	/* all traffic, or all that is not IP: mirror, mirror-l2 */
		SURVEY_STREAMS, /* streams for some destinations, or for all frames (prp) */
	} advice;
	struct survey_filter filter;
	uint32_t left_out;	   /* feeds and destinations with a gain that did not fit */
	struct survey_filter rest; /* a second filter, for as many of these as fit in there */
};

#endif
