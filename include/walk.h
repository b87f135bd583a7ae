/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A frame that is being opened, header by header (decapsulate.h); steps over VLAN tags and IP. */
#pragma once

#include <linux/if_ether.h>
#include <linux/in.h>
#include <linux/in6.h>

#include "compiler.h"
#include "tunnel.h"

#define DEDUP_TAGS 2	 /* VLAN tags that are always stepped over */
#define DEDUP_TAGS_MAX 8 /* with `vlan` */
#define DEDUP_TAG_BYTES 4
#define DEDUP_IPV6_EXTENSIONS_MAX 6 /* RFC 8200 lists no more before UDP */
#define DEDUP_WALK_MASK 0x3fff	 /* a program sees no more bytes of a frame in its first buffer */
#define DEDUP_IP_FRAGMENT 0x3fff /* IPv4: more fragments follow, or an offset */

/* What dedup_open_tunnel() returns beside an enum dedup_reason, 0 or more. */
#define DEDUP_CLOSED (-1) /* no tunnel of these kinds */
#define DEDUP_OPENED (-2)

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
	bool guessed;	/* that it is this tunnel, or what is inside: see guess.h */
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
	if (bytes > w->left)
		return false;
	DEDUP_NOTE_READ(w, bytes);
	return w->pos + bytes <= w->end;
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

/* Whatever was stepped over, to the verifier w->pos is anywhere from here on. */
static __always_inline void dedup_join_paths(struct dedup_walk *w)
{
#ifdef __bpf__
	__u64 at = dedup_offset(w);

	DEDUP_FORGET(w->left, at);
	DEDUP_BOUND(at, DEDUP_WALK_MASK);
	w->pos = w->data + at;
#else
	(void)w;
#endif
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

/* Steps over an IPv4 header with its options. Returns the protocol; DEDUP_CLOSED: the packet is a
 * fragment, or there is something wrong with it, which whoever parses it next finds out.
 */
static __always_inline int dedup_skip_ipv4(struct dedup_walk *w)
{
	__u64 header_len, len;
	__u8 protocol;

	if (!dedup_has(w, 20))
		return DEDUP_CLOSED;
	header_len = (w->pos[0] & 15) * 4;
	len = dedup_be16(w->pos + 2);
	protocol = w->pos[9];
	if (w->pos[0] >> 4 != 4 || header_len < 20 || len < header_len ||
	    dedup_be16(w->pos + 6) & DEDUP_IP_FRAGMENT || !dedup_cut_to(w, len))
		return DEDUP_CLOSED;
	dedup_step(w, header_len);
	return protocol;
}

/* Is an IPv6 header of this kind not stepped over? Those of fragments are not. A macro of !=: from
 * a function, or from ==, clang makes more instructions.
 */
#define DEDUP_NO_EXTENSION(kind)                                                                \
	((kind) != IPPROTO_HOPOPTS && (kind) != IPPROTO_ROUTING && (kind) != IPPROTO_DSTOPTS && \
	 (kind) != IPPROTO_AH)

/* Returns the length of such a header, from its second byte, which leaves out 8 bytes. AH's is in
 * units of 4 bytes (RFC 4302), others' of 8.
 */
static __always_inline __u32 dedup_extension_bytes(__u8 kind, __u8 len)
{
	return kind == IPPROTO_AH ? (len + 2) * 4 : (len + 1) * 8;
}

/* Does so for IPv6 with its extension headers. */
static __always_inline int dedup_skip_ipv6(struct dedup_walk *w)
{
	__u8 next;
	__u64 len;

	if (!dedup_has(w, 40))
		return DEDUP_CLOSED;
	next = w->pos[6];
	if (w->pos[0] >> 4 != 6 || !dedup_cut_to(w, 40 + dedup_be16(w->pos + 4)))
		return DEDUP_CLOSED;
	dedup_step(w, 40);
	for (__u32 i = 0; i <= DEDUP_IPV6_EXTENSIONS_MAX; i++) {
		if (DEDUP_NO_EXTENSION(next))
			return next;
		if (!dedup_has(w, 2))
			return DEDUP_CLOSED;
		len = dedup_extension_bytes(next, w->pos[1]);
		next = w->pos[0];
		if (len > w->left)
			return DEDUP_CLOSED;
		dedup_step(w, len);
	}
	return DEDUP_CLOSED;
}
