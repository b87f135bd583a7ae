/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A frame that is being opened, header by header (decapsulate.h). */
#ifndef XDP_DEDUP_WALK_H
#define XDP_DEDUP_WALK_H

#include <linux/if_ether.h>

#include "compiler.h"
#include "tunnel.h"

#define DEDUP_TAGS 2	 /* VLAN tags that are always stepped over */
#define DEDUP_TAGS_MAX 8 /* with `vlan` */
#define DEDUP_TAG_BYTES 4

/* A frame, from its front to where the packet begins that is to be looked at. */
struct dedup_walk {
	const __u8 *data, *end; /* the frame's first buffer */
	const __u8 *pos;	/* the packet, which `proto` says what it is */
	__u64 left;  /* of its bytes, as what carries it claims; perhaps not all in this buffer */
	__u16 proto; /* an EtherType, in host order */
	/* What opens the tunnel sets these. */
	__u32 kind;	/* enum dedup_tunnel */
	__u32 outer;	/* frame offset of the tunnel's header */
	__u32 ethernet; /* frame offset of the inner Ethernet header; DEDUP_NO_ETHERNET: none */
	__u32 tags;	/* VLAN tags behind it: see dedup_skip_tags() */
};
#define DEDUP_NO_ETHERNET 0xffffffff

static __always_inline __u16 dedup_be16(const __u8 *at)
{
#if defined(__bpf__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return __builtin_bswap16(*(const __u16 *)at); /* by one load */
#else
	return at[0] << 8 | at[1];
#endif
}

/* The frame offset of w->pos. */
static __always_inline __u32 dedup_offset(const struct dedup_walk *w)
{
	const __u8 *pos = w->pos;

	barrier_var(pos); /* else the compiler subtracts w->data from what is added later */
	return (__u64)(pos - w->data);
}

/* What notes that these bytes at w->pos matter: user space has one. */
#ifndef DEDUP_NOTE_READ
#define DEDUP_NOTE_READ(w, bytes)
#endif

/* Are there so many bytes at w->pos, which belong to the packet? */
static __always_inline bool dedup_has(const struct dedup_walk *w, __u64 bytes)
{
	DEDUP_NOTE_READ(w, bytes);
	return bytes <= w->left && w->pos + bytes <= w->end;
}

/* Steps over bytes that dedup_has(). */
static __always_inline void dedup_step(struct dedup_walk *w, __u64 bytes)
{
	w->pos += bytes;
	w->left -= bytes;
}

/* The packet ends so many bytes behind w->pos. False: what carries it ends before. */
static __always_inline bool dedup_cut_to(struct dedup_walk *w, __u64 bytes)
{
	if (bytes > w->left)
		return false;
	w->left = bytes;
	return true;
}

/* Does an IPv4 header without options begin here, and is its checksum right? */
static __always_inline bool dedup_is_ipv4_header(const struct dedup_walk *w)
{
	__u32 sum = 0;

	if (!dedup_has(w, 20) || w->pos[0] != 0x45)
		return false;
	DEDUP_UNROLL
	for (__u32 i = 0; i < 20; i += 2)
		sum += dedup_be16(w->pos + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return sum == 0xffff;
}

/* A tag of IEEE 802.1Q. */
static __always_inline bool dedup_is_usual_tag(__u16 proto)
{
	return proto == ETH_P_8021Q || proto == ETH_P_8021AD;
}

static __always_inline bool dedup_is_tag(__u16 proto)
{
	return dedup_is_usual_tag(proto) || proto == ETH_P_QINQ1 || proto == ETH_P_QINQ2 ||
	       proto == ETH_P_QINQ3;
}

/* Steps over VLAN tags at w->pos, until w->tags is `most`: DEDUP_TAGS, or DEDUP_TAGS_MAX. Only with
 * the latter are there other tags than the usual ones, which count from DEDUP_TAGS on. False: one
 * is cut off.
 */
static __always_inline bool dedup_skip_tags(struct dedup_walk *w, __u32 most)
{
	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_TAGS_MAX; i++) {
		if (w->proto == ETH_P_IP) /* as most are */
			return true;
		if (!dedup_is_usual_tag(w->proto)) {
			if (!dedup_is_tag(w->proto))
				return true;
			if (w->tags < DEDUP_TAGS)
				w->tags = DEDUP_TAGS;
		}
		if (w->tags >= most)
			return true;
		if (!dedup_has(w, DEDUP_TAG_BYTES))
			return false;
		w->proto = dedup_be16(w->pos + 2);
		dedup_step(w, DEDUP_TAG_BYTES);
		w->tags++;
	}
	return true;
}

#endif
