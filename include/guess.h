/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is what is inside of a tunnel what it is taken for? A UDP port, a control word, or the version of
 * IP is a guess: other bytes come there, too. Opened as a packet, of which only a part makes the
 * id, distinct ones would look alike. So a guessed packet must be plausible: of a known protocol,
 * with a header that fits. Otherwise the tunnel stays closed, and all its bytes count. Reserved
 * bits of the tunnel's header do not decide: receivers ignore them (RFC 7348, RFC 8926).
 */
#pragma once

#include <linux/if_ether.h>

#include "counters.h"
#include "walk.h"

/* So many bytes may be behind a guessed IP packet whose header has no checksum: padding, an FCS, a
 * tap's time stamp.
 */
#define DEDUP_TRAILER_MAX 32

/* The first 4 bytes of frames of an EtherType: which bits are fixed, and their value. */
#define DEDUP_KNOWN_FRAMES(X)                                                \
	X(ETH_P_ARP, 0xffffffff, 0x00010800) /* of Ethernet and IPv4 */      \
	X(ETH_P_RARP, 0xffffffff, 0x00010800)                                \
	X(ETH_P_MPLS_UC, 0, 0) /* what is inside is a guess again */         \
	X(ETH_P_MPLS_MC, 0, 0)                                               \
	X(ETH_P_PPP_DISC, 0xff000000, 0x11000000)                            \
	X(ETH_P_PPP_SES, 0xffff0000, 0x11000000)                             \
	X(ETH_P_SLOW, 0xf0000000, 0)	      /* a subtype, up to 10 */      \
	X(ETH_P_LLDP, 0xfe000000, 0x02000000) /* a chassis comes first */    \
	X(ETH_P_PAE, 0xfcf00000, 0)	      /* EAPOL: version and type */  \
	X(ETH_P_1588, 0x000f0000, 0x00020000) /* PTP: version 2 */           \
	X(0x88b8, 0x0000f800, 0)	      /* GOOSE: a length */          \
	X(0x88ba, 0x0000f800, 0)	      /* Sampled Values: a length */ \
	X(0x8892, 0x80000000, 0x80000000)     /* PROFINET RT: a frame id */  \
	X(0x88a4, 0x00f00000, 0x00100000)     /* EtherCAT: commands */       \
	X(ETH_P_PRP, 0xf0000000, 0)	      /* supervision: a version */   \
	X(ETH_P_HSR, 0x08000000, 0)	      /* a length */                 \
	X(0xf1c1, 0xffff0000, 0)	      /* R-TAG: reserved, sent as 0 */

/* Behind a length instead of an EtherType comes LLC: of STP, SNAP, IS-IS. */
#define DEDUP_LLC_STP 0x424203
#define DEDUP_LLC_SNAP 0xaaaa03
#define DEDUP_LLC_ISO 0xfefe03

/* IPv6's next headers, a bit for each: extensions, transport, routing, tunnels. */
#define DEDUP_NEXT(protocol) (1ULL << ((protocol)&63))
#define DEDUP_NEXT_0                                                                         \
	(DEDUP_NEXT(IPPROTO_HOPOPTS) | DEDUP_NEXT(IPPROTO_IPIP) | DEDUP_NEXT(IPPROTO_TCP) |  \
	 DEDUP_NEXT(IPPROTO_UDP) | DEDUP_NEXT(IPPROTO_IPV6) | DEDUP_NEXT(IPPROTO_ROUTING) |  \
	 DEDUP_NEXT(IPPROTO_FRAGMENT) | DEDUP_NEXT(IPPROTO_RSVP) | DEDUP_NEXT(IPPROTO_GRE) | \
	 DEDUP_NEXT(IPPROTO_ESP) | DEDUP_NEXT(IPPROTO_AH) | DEDUP_NEXT(IPPROTO_ICMPV6) |     \
	 DEDUP_NEXT(IPPROTO_NONE) | DEDUP_NEXT(IPPROTO_DSTOPTS))
#define DEDUP_NEXT_64                                                                           \
	(DEDUP_NEXT(88) | DEDUP_NEXT(89) | DEDUP_NEXT(IPPROTO_PIM) | DEDUP_NEXT(IPPROTO_COMP) | \
	 DEDUP_NEXT(112) | DEDUP_NEXT(115)) /* 88 EIGRP, 89 OSPF, 112 VRRP, 115 L2TP */
#define DEDUP_NEXT_128                                                                     \
	(DEDUP_NEXT(IPPROTO_SCTP) | DEDUP_NEXT(IPPROTO_MH) | DEDUP_NEXT(IPPROTO_UDPLITE) | \
	 DEDUP_NEXT(IPPROTO_MPLS) | DEDUP_NEXT(143)) /* 143 Ethernet */

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

static __always_inline bool dedup_is_known_next(__u8 next)
{
	__u64 known = next < 64 ? DEDUP_NEXT_0 : next < 128 ? DEDUP_NEXT_64 : DEDUP_NEXT_128;

	return next < 192 && known >> (next & 63) & 1;
}

/* What is inside may be IP, of which only its first 4 bits tell. An IPv4 header has a checksum;
 * that of one with options is not computed. For the others the length must be what is left, up to a
 * trailer. A longer one is cut, which whoever parses it next finds out.
 */
static __always_inline int dedup_open_guessed_ip(struct dedup_walk *w)
{
	__u64 len;

	if (!dedup_has(w, 20))
		return DEDUP_REASON_truncated;
	if (w->pos[0] == 0x45) {
		w->proto = ETH_P_IP;
		return dedup_is_ipv4_header(w) ? DEDUP_OPENED : DEDUP_CLOSED;
	}
	if (w->pos[0] >> 4 == 4) {
		w->proto = ETH_P_IP;
		len = dedup_be16(w->pos + 2);
	} else if (w->pos[0] >> 4 == 6) {
		w->proto = ETH_P_IPV6;
		len = 40 + dedup_be16(w->pos + 4);
		/* The hop limit, and the sender, which is no group. */
		if (!dedup_is_known_next(w->pos[6]) || !w->pos[7] || w->pos[8] == 0xff)
			return DEDUP_CLOSED;
	} else {
		return DEDUP_CLOSED;
	}
	return len + DEDUP_TRAILER_MAX < w->left ? DEDUP_CLOSED : DEDUP_OPENED;
}

/* Is a frame that is not IP plausible, by its EtherType and its `first` 4 bytes, in host order? */
static __always_inline bool dedup_is_known_frame(__u16 proto, __u32 first)
{
	if (proto < ETH_P_802_3_MIN)
		return first >> 8 == DEDUP_LLC_STP || first >> 8 == DEDUP_LLC_SNAP ||
		       first >> 8 == DEDUP_LLC_ISO;
	if (dedup_is_tag(proto)) /* one more than are stepped over, before an EtherType */
		return (first & 0xffff) >= ETH_P_802_3_MIN;
	switch (proto) {
#define X(type, mask, value) \
	case type:           \
		return (first & (mask)) == (value);
		DEDUP_KNOWN_FRAMES(X)
#undef X
	default:
		return false;
	}
}

/* What was opened is a guess. Returns DEDUP_OPENED if it is plausible, else DEDUP_CLOSED; or
 * DEDUP_REASON_truncated. With `usual` only IP is plausible.
 */
static __always_inline int dedup_check_guess(const struct dedup_walk *w, bool usual)
{
	bool plausible;
	__u32 first;

	if (!dedup_has(w, 4))
		return DEDUP_REASON_truncated;
	first = (__u32)dedup_be16(w->pos) << 16 | dedup_be16(w->pos + 2);
	if (w->proto == ETH_P_IP) /* its version, and two lengths, of which 5 is the least */
		plausible = first >> 28 == 4 && (first >> 24 & 15) >= 5 &&
			    (first & 0xffff) >= (first >> 24 & 15) * 4;
	else if (w->proto == ETH_P_IPV6)
		plausible = first >> 28 == 6;
	else
		plausible = !usual && dedup_is_known_frame(w->proto, first);
	if (plausible && w->proto < ETH_P_802_3_MIN && w->proto > w->left)
		return DEDUP_REASON_truncated;
	return plausible ? DEDUP_OPENED : DEDUP_CLOSED;
}
