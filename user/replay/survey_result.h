/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The findings of a survey (survey.h), and its recommendation.
 *
 * A destination is a UDP or TCP port, another IP protocol, or an EtherType; for multicast together
 * with the group. The two directions of TCP are one destination, by the lower port.
 *
 * "Identical" compares UDP payloads, for unicast only to one port; other IP packets, without the
 * fields that routers and taps change; and other frames.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "histogram.h"
#include "profile.h"
#include "sources.h"
#include "spec.h"
#include "timeline.h"

/* If there are more destinations, survey_result.others has the counts of the smallest ones. */
#define SURVEY_DESTINATIONS_MAX 2048
#define SURVEY_ADDRESSES_MAX 4

enum survey_kind { SURVEY_UDP, SURVEY_TCP, SURVEY_IP, SURVEY_ETHERNET };

/* Duplicates. Ages are the times since the first packet of the id, in ns, at most 1/32 too high. In
 * a survey_fit they are the ages of its copies.
 */
struct survey_duplicates {
	uint64_t packets, bytes; /* bytes on the wire */
	uint64_t median_ns, p99_ns, greatest_ns;
};

/* Why a profile does not suit a destination, or all traffic. */
enum survey_why {
	SURVEY_BEST,
	SURVEY_FITS_FEW,     /* the profile fits only a part of the packets */
	SURVEY_FINDS_NONE,   /* no duplicates, or too few for a gain */
	SURVEY_NO_NUMBERS,   /* the fields of RTP's numbers do not count up */
	SURVEY_DIFFERS,	     /* its duplicates have other bytes than the earlier packets */
	SURVEY_OTHER_HOST,   /* unicast to several hosts, each of which needs its packet */
	SURVEY_SAME_SENDER,  /* the sender repeats packets, perhaps on purpose */
	SURVEY_FLOOD,	     /* one packet is repeated many times */
	SURVEY_TOO_OLD,	     /* duplicates are older than the longest window that fits it */
	SURVEY_FINDS_FEWER,  /* another profile finds more */
	SURVEY_LESS_SPECIFIC /* a profile that knows the protocol finds as much */
};

/* What a profile finds in the packets of a destination, or in all packets. */
struct survey_fit {
	const struct profile *profile;
	uint64_t packets; /* that pass its gates and heuristic */
	uint64_t snapped; /* of these packets, those that were cut before the id's end */
	uint64_t ids;	  /* different ids; an id that is repeated much later counts again */
	struct survey_duplicates duplicates;
	/* Numbers of these duplicates: */
	uint64_t in_window; /* within the profile's window, or the default one; numbers: all copies */
	uint64_t elsewhere;   /* copies whose earlier packets went only to other destinations */
	uint64_t other_iface; /* the first packet was captured at another interface */
	uint64_t same_sender; /* sent again by the first packet's sender */
	uint64_t other_host;  /* unicast to another host than the first packet */
	uint64_t flood;	      /* of a packet that arrived more than 8 times at once */
	uint64_t copies;      /* none of the previous three: a filter should drop them */
	uint64_t differ;      /* differ in bytes that the id does not mask */
	uint64_t window_ns;   /* a window that finds 99 % of them; 0: no duplicates */
	enum survey_why why;
};

/* Frames in a tunnel of one kind. */
struct survey_tunnel {
	uint64_t packets, bytes;		     /* opened; bytes on the wire */
	uint64_t inside[SURVEY_ETHERNET + 1];	     /* their inner packets, by kind */
	uint64_t truncated, bad;		     /* not opened: cut; with a malformed header */
	uint8_t addresses[SURVEY_ADDRESSES_MAX][16]; /* destinations of outermost IP headers */
	bool ipv4[SURVEY_ADDRESSES_MAX];	     /* IPv4: in the first 4 bytes of the address */
	uint32_t addresses_cnt;
	bool more_addresses;
};

struct survey_destination {
	enum survey_kind kind;
	uint16_t number; /* port, protocol or EtherType, in host order */
	bool ipv4;	 /* group or addresses are IPv4, in their first 4 bytes */
	bool multicast;
	uint8_t addresses[SURVEY_ADDRESSES_MAX][16]; /* the group; else the first ones seen */
	uint32_t addresses_cnt;
	bool more_addresses;
	uint64_t packets, bytes;
	struct survey_duplicates identical;
	struct survey_fit fits[DEDUP_STREAMS_MAX]; /* profiles that fit at least one packet */
	uint32_t fits_cnt;
	const struct survey_fit *best; /* one of fits; NULL: no gain */
	/* Destinations with an equal number above 0 form a feed: they get equal packets. */
	uint32_t feed;
};

/* A recommended filter, which only counts. */
struct survey_filter {
	/* Streams have their profiles' names; streams of a realm are adjacent. Without streams, no
	 * filter is recommended. paths: 0 if no stream is numbered.
	 */
	struct filter_spec spec;
	uint64_t drops, drop_bytes; /* a lower bound of what it drops of these packets */
	uint64_t window_ids;	    /* the most ids in one window */
	bool several_ifaces;	    /* copies were captured at different interfaces */
	bool other_hosts;	    /* its packets went to MACs of several hosts */
};

struct survey_result {
	uint64_t packets, bytes;    /* all except the outgoing ones */
	uint64_t outgoing;	    /* sent by the capturing host */
	uint64_t first_ns, last_ns; /* times of the packets */
	uint64_t snapped;	    /* packets cut by the snap length */
	uint64_t known_since_ns;    /* duplicates of earlier packets were not found; 0: all were */
	uint32_t ifaces_cnt;	    /* interfaces with packets */
	struct timeline timeline;   /* here and in the next two, copies are identical packets */
	struct histogram ages;
	struct sources *sources;
	struct survey_destination *destinations; /* the largest gain first */
	uint32_t destinations_cnt;
	struct survey_destination others;	  /* the sum of the smallest destinations */
	uint32_t others_cnt;			  /* at least this many destinations */
	struct survey_fit all[DEDUP_STREAMS_MAX]; /* for all traffic: mirror, mirror-l2, prp */
	uint32_t all_cnt;
	/* By kind; a frame in two tunnels counts in both. Destinations and fits are of the inner
	 * packets.
	 */
	struct survey_tunnel tunnels[DEDUP_TUNNELS_CNT];

	/* The recommendation: */
	enum survey_advice {
		SURVEY_NOTHING, /* no filter */
		SURVEY_MIRROR,	/* all traffic, or all frames that are not IP: mirror, mirror-l2 */
		SURVEY_STREAMS, /* streams for some destinations, or for all frames (prp) */
	} advice;
	struct survey_filter filter;
	uint32_t left_out;	   /* feeds and destinations with a gain that do not fit */
	struct survey_filter rest; /* a second filter, for those that fit into it */
};
