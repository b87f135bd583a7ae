/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Streams: which packets a filter looks at, and which of their bytes are the id. A profile is
 * compiled into a stream: each of its fields is an 8-byte load at a given position, shifted and
 * masked.
 */
#pragma once

#include "digest.h"
#include "id.h"
#include "numbering.h"

#define DEDUP_STREAMS_MAX 16
#define DEDUP_STREAM_NAME 32 /* bytes, with the 0 at the end */
#define DEDUP_GATES_MAX 8
#define DEDUP_SLOTS 32 /* for the streams of two programs, one after the other */

/* Which packets a stream can match. */
enum dedup_layer {
	DEDUP_UDP,	/* UDP datagrams that are no fragments, to one of its ports */
	DEDUP_IP,	/* IPv4 and IPv6 packets, fragments too */
	DEDUP_ETHERNET, /* frames, of one EtherType or of any */
};

/* How the ids of a packet are made. */
enum dedup_decoder {
	DEDUP_FIELDS, /* the stream's loads and digest */
	DEDUP_GSP,    /* GSP/1's own parser: its packets carry lists of ids */
};

/* What positions in a packet count from. Packed to a byte, so that bpftool shows names. */
enum __attribute__((packed)) dedup_base {
	DEDUP_FRAME,   /* the frame's first byte */
	DEDUP_TAG,     /* behind the EtherType that follows the VLAN tags */
	DEDUP_NETWORK, /* the IP header */
	DEDUP_PAYLOAD, /* the UDP payload */
	DEDUP_END,     /* behind the frame's last byte, padding included */
	DEDUP_OUTER,   /* the header of the tunnel that the packet is in (tunnel.h) */
	DEDUP_BASES,
};

/* What is hashed into the last word of an id (digest.h). */
enum dedup_digest_of {
	DEDUP_DIGEST_NONE,
	DEDUP_DIGEST_PAYLOAD, /* the UDP payload */
	DEDUP_DIGEST_PACKET,  /* the IP packet, without what routers and taps change */
	DEDUP_DIGEST_FRAME,   /* MACs, EtherType and all behind it, without VLAN tags */
};

/* How a load makes its word of 8 bytes. A whole load takes all 8, without a mask: the plan finds
 * these.
 */
enum __attribute__((packed)) dedup_load_form {
	DEDUP_MASKED,
	DEDUP_WHOLE,
};

/* 1 to 8 neighbouring bytes of a packet as a word: (the 8 bytes from `at` >> shift) & mask. The
 * word has the bytes in their order, as struct dedup_id has them, with zeros behind. Which 8 bytes
 * are loaded:
 * - those that end with the last byte wanted, so that nothing behind it need be there;
 * - at a frame's front, if these would begin before the frame, its first 8 bytes;
 * - counted from the end, where the distance to the front depends on the frame: those that begin
 *   with the first byte wanted, if 8 are left.
 */
struct dedup_load {
	__u64 mask;
	__s32 at; /* from the base */
	enum dedup_base base;
	__u8 shift; /* in bits: a multiple of 8, below 64 */
	__u8 bytes; /* 1 to 8 */
	enum dedup_load_form form;
};
_Static_assert(sizeof(struct dedup_load) == 16, "enums of one byte");

/* A condition on a word. */
struct dedup_gate {
	struct dedup_load load;
	__u64 value;  /* as the word has it */
	__u32 equal;  /* 1: holds if the word has this value; 0: if it has another one */
	__u32 exempt; /* 1: packets for which it holds pass, and are not learned; 0: it is required,
		       * and packets for which it does not hold are not of this stream
		       */
};

struct dedup_stream {
	char name[DEDUP_STREAM_NAME];
	enum dedup_layer layer;
	enum dedup_decoder decoder;
	__u32 ethertype; /* DEDUP_ETHERNET: in network order; 0: any */
	__u32 forwarded; /* 1: frames for other hosts, too */

	/* The stream's ranges of config.ports (DEDUP_UDP), and of config.to, with IPv4 first: only
	 * packets to these destinations; to_cnt 0: to any.
	 */
	__u32 ports_first, ports_cnt;
	__u32 to_first, to4_cnt, to_cnt;

	/* Streams of one realm share their ids: equal bytes are one id in all of them. Their ids
	 * have equally many words. In another realm equal bytes are another id. `realm` numbers
	 * the realms of one program; realm_key is the realm's identity, which a change keeps.
	 */
	__u32 realm;
	__u64 realm_key; /* secret, one for each realm */

	enum dedup_digest_of digest;
	__u32 digest_max; /* the most bytes to hash, beside the length; and DEDUP_DIGEST_PART */
	__u32 words;	  /* of an id: loads_cnt, and one more if there is a digest; 4: GSP/1 */
	__u32 bytes;	  /* of an id, for the schemes that hash bytes: up to the last one */
	__u32 gates_cnt, loads_cnt;
	__u16 direct;	/* 1: bpf/direct.bpf.h can decode it alone */
	__u16 adjacent; /* 1: the id's words are whole words of the packet, one behind the other */
	__u32 need;	/* direct: the payload's bytes up to the last one of the id's loads */
	/* With DEDUP_DIGEST_PART: how many bytes in front and at the end are not hashed. The length
	 * that is hashed does not count them. For an IP packet or a frame digest_skip is 0, or at
	 * least DEDUP_DIGEST_SKIP_LEAST.
	 */
	__u16 digest_skip, digest_trailer;
	/* The stream's number in what outlives a program: samples, deliveries. A change keeps it,
	 * though the stream's index may change. No other stream gets it later; the slots of two
	 * successive programs differ modulo DEDUP_SLOTS.
	 */
	__u32 slot;
	struct dedup_gate gates[DEDUP_GATES_MAX]; /* those required first */
	struct dedup_load loads[DEDUP_ID_WORDS_MAX];
};

/* A stream whose ids are a source and its messages' numbers (recovery.h): an id's last word is the
 * number of the packet's first message, all words before it are its source.
 */
struct dedup_numbered {
	__u32 width;  /* bits of a number: 8 to 64; 0: the stream's ids are no numbers */
	__u32 little; /* 1: the number's first byte is its least significant one */
	__u32 shift;  /* of the last word as an integer, before its low `width` bits */
	__u32 count_little, count_shift; /* of the word of `count`, as `little` and `shift` */
	__u32 partial;		 /* 1: a source also numbers packets that are not of this stream */
	__u64 reset_ns;		 /* a source is silent for so long: its numbers may begin anew */
	struct dedup_load count; /* how many messages a packet has; count.bytes 0: one */
	struct dedup_recovery recovery;
};

/* An id to look up. */
struct dedup_lookup_key {
	const struct dedup_id *id; /* perhaps in a packet: only `words` words can be read */
	__u32 words;		   /* 1 to DEDUP_ID_WORDS_MAX */
	__u32 bytes;		   /* for the schemes that hash bytes */
	__u64 realm_key;	   /* as in struct dedup_stream */
};

/* Returns the word that a load makes of the 8 bytes at its position. */
static __always_inline __u64 dedup_load_word(const struct dedup_load *load, __u64 bytes)
{
	return bytes >> load->shift & load->mask;
}

/* Returns the integer that a word of a packet has above its lowest `shift` bits. little: 1 if the
 * word's first byte is the least significant one; 0 if it is the most significant one.
 */
static __always_inline __u64 dedup_integer_in(__u64 word, __u32 little, __u32 shift)
{
	if (little) {
		DEDUP_ELSE();
	} else {
		DEDUP_KEEP_BRANCH();
		word = __builtin_bswap64(word);
	}
	return word >> (shift & 63);
}

/* Returns how many bytes the stream's digest hashes at most. */
static __always_inline __u32 dedup_digest_max(const struct dedup_stream *s)
{
	return s->digest_max & ~DEDUP_DIGEST_PART;
}
