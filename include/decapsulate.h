/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Opens tunnels (tunnel.h): finds out where the inner packet begins and ends. Packets may be
 * malformed: each length is tested where it is read.
 *
 * The formats: GRE RFC 2784, 2890 and 7637; ERSPAN draft-foschiano-erspan; VXLAN RFC 7348,
 * draft-ietf-nvo3-vxlan-gpe; Geneve RFC 8926; IP in IP RFC 2003, 2473, 4213; MPLS RFC 3032, 4023,
 * 4385; PPPoE RFC 2516; GTP-U 3GPP TS 29.281. TZSP, which MikroTik sends, and HP's encapsulated
 * remote mirroring (erm) have no public standard: the code follows their senders and Wireshark.
 */
#pragma once

#include <linux/if_ether.h>
#include <linux/in.h>

#include "counters.h"
#include "guess.h"
#include "walk.h"

#define DEDUP_TUNNEL_LEVELS 2 /* that are opened, one in the other */
#define DEDUP_LABELS_MAX 8    /* of MPLS */
#define DEDUP_GTP_EXTENSIONS_MAX 8
#define DEDUP_TZSP_TAGS_MAX 8
#define DEDUP_ERM_HEADER 12

#define DEDUP_ETH_ERSPAN_2 0x88be /* GRE protocols, type I and II */
#define DEDUP_ETH_ERSPAN_3 0x22eb
#define DEDUP_ETH_TEB 0x6558	 /* an Ethernet frame */
#define DEDUP_GRE_REFUSED 0x4c07 /* routing, bits 4 and 5, another version */
#define DEDUP_PPP_IPV4 0x0021
#define DEDUP_PPP_IPV6 0x0057

/* What is inside is IP, whose version is in its first byte. */
static __always_inline int dedup_open_ip(struct dedup_walk *w)
{
	__u8 version;

	if (!dedup_has(w, 1))
		return DEDUP_REASON_truncated;
	version = w->pos[0] >> 4;
	w->proto = version == 4 ? ETH_P_IP : ETH_P_IPV6;
	return version == 4 || version == 6 ? DEDUP_OPENED : DEDUP_CLOSED;
}

/* Steps over the Ethernet header of what is inside, up to its VLAN tags. */
static __always_inline int dedup_open_ethernet_header(struct dedup_walk *w)
{
	w->ethernet = dedup_offset(w);
	w->tags = 0;
	if (!dedup_has(w, ETH_HLEN))
		return DEDUP_REASON_truncated;
	w->proto = dedup_be16(w->pos + ETH_HLEN - 2);
	dedup_step(w, ETH_HLEN);
	return DEDUP_OPENED;
}

/* What is inside is an Ethernet frame. */
static __always_inline int dedup_open_ethernet(struct dedup_walk *w, __u32 kinds)
{
	int result = dedup_open_ethernet_header(w);

	if (result == DEDUP_OPENED &&
	    !dedup_skip_tags(w, kinds & DEDUP_TUNNEL_BIT(vlan) ? DEDUP_TAGS_MAX : DEDUP_TAGS))
		return DEDUP_REASON_truncated;
	return result;
}

/* What is inside is what this protocol says: an EtherType, in host order. MPLS is another tunnel,
 * and dedup_open_tunnel() steps over an Ethernet header.
 */
static __always_inline int dedup_open_proto(struct dedup_walk *w, __u16 proto)
{
	w->proto = proto;
	return proto == DEDUP_ETH_TEB || proto == ETH_P_IP || proto == ETH_P_IPV6 ||
			       proto == ETH_P_MPLS_UC || proto == ETH_P_MPLS_MC
		       ? DEDUP_OPENED
		       : DEDUP_CLOSED;
}

/* A stack of labels. Only what is inside tells what that is: IP, or a pseudowire's control word and
 * an Ethernet frame.
 */
static __always_inline int dedup_open_mpls(struct dedup_walk *w)
{
	bool bottom = false;

	w->kind = DEDUP_TUNNEL_mpls;
	w->outer = dedup_offset(w);
	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_LABELS_MAX; i++) {
		if (bottom)
			break;
		if (!dedup_has(w, 4))
			return DEDUP_REASON_truncated;
		bottom = w->pos[2] & 1;
		dedup_step(w, 4);
	}
	if (!bottom)
		return DEDUP_CLOSED;
	if (!dedup_has(w, 4))
		return DEDUP_REASON_truncated;
	w->guessed = true;
	if (dedup_be16(w->pos)) /* a control word begins with zeros */
		return dedup_open_guessed_ip(w);
	dedup_step(w, 4);
	return dedup_open_proto(w, DEDUP_ETH_TEB);
}

static __always_inline int dedup_open_pppoe(struct dedup_walk *w)
{
	__u64 len;
	__u16 proto;

	w->kind = DEDUP_TUNNEL_pppoe;
	w->outer = dedup_offset(w);
	if (!dedup_has(w, 8))
		return DEDUP_REASON_truncated;
	if (dedup_be16(w->pos) != 0x1100) /* version 1, type 1, code 0: a session's */
		return DEDUP_CLOSED;
	len = dedup_be16(w->pos + 4);
	proto = dedup_be16(w->pos + 6);
	if (len < 2)
		return DEDUP_REASON_bad_tunnel;
	if (!dedup_cut_to(w, 6 + len))
		return DEDUP_REASON_truncated;
	dedup_step(w, 8);
	w->proto = proto == DEDUP_PPP_IPV4 ? ETH_P_IP : ETH_P_IPV6;
	return proto == DEDUP_PPP_IPV4 || proto == DEDUP_PPP_IPV6 ? DEDUP_OPENED : DEDUP_CLOSED;
}

/* Behind the GRE header. `sequence`: that has a sequence number. */
static __always_inline int dedup_open_erspan(struct dedup_walk *w, __u16 proto, bool sequence)
{
	bool type_3 = proto == DEDUP_ETH_ERSPAN_3;
	__u32 carried = 0;
	__u64 len = 8;

	w->kind = DEDUP_TUNNEL_erspan;
	if (proto == DEDUP_ETH_ERSPAN_2 && !sequence) /* type I has no header */
		return dedup_open_proto(w, DEDUP_ETH_TEB);
	w->outer = dedup_offset(w);
	if (!dedup_has(w, len))
		return DEDUP_REASON_truncated;
	if (w->pos[0] >> 4 != (type_3 ? 2 : 1))
		return DEDUP_CLOSED;
	if (w->pos[2] & 0x04) /* T: the mirrored frame is cut */
		return DEDUP_REASON_truncated;
	if (type_3) {
		if (!dedup_has(w, 12))
			return DEDUP_REASON_truncated;
		carried = dedup_be16(w->pos + 10) >> 10 & 31;
		len = w->pos[11] & 1 ? 20 : 12; /* O: a subheader follows */
	}
	if (!dedup_has(w, len))
		return DEDUP_REASON_truncated;
	dedup_step(w, len);
	if (carried == 2)
		return dedup_open_ip(w);
	return carried ? DEDUP_CLOSED : dedup_open_proto(w, DEDUP_ETH_TEB);
}

static __always_inline int dedup_open_gre(struct dedup_walk *w)
{
	__u16 flags, proto;
	__u64 len = 4;

	w->kind = DEDUP_TUNNEL_gre;
	w->outer = dedup_offset(w);
	if (!dedup_has(w, len))
		return DEDUP_REASON_truncated;
	flags = dedup_be16(w->pos);
	proto = dedup_be16(w->pos + 2);
	/* No routing, and version 0. Bits 6 to 12 are to be ignored (RFC 2784, 2.2). */
	if (flags & DEDUP_GRE_REFUSED)
		return DEDUP_CLOSED;
	len += (flags >> 15 & 1) * 4 + (flags >> 13 & 1) * 4 + (flags >> 12 & 1) * 4;
	if (!dedup_has(w, len))
		return DEDUP_REASON_truncated;
	dedup_step(w, len);
	if (proto == DEDUP_ETH_ERSPAN_2 || proto == DEDUP_ETH_ERSPAN_3)
		return dedup_open_erspan(w, proto, flags & 0x1000);
	return dedup_open_proto(w, proto);
}

static __always_inline int dedup_open_vxlan(struct dedup_walk *w)
{
	__u8 flags, next;

	w->kind = DEDUP_TUNNEL_vxlan;
	w->outer = dedup_offset(w);
	if (!dedup_has(w, 8))
		return DEDUP_REASON_truncated;
	flags = w->pos[0];
	next = w->pos[3];
	if (!(flags & 0x08)) /* I: it has a VNI */
		return DEDUP_CLOSED;
	dedup_step(w, 8);
	if (!(flags & 0x04))
		return dedup_open_proto(w, DEDUP_ETH_TEB);
	/* P: VXLAN-GPE, which tells what is inside */
	if (flags & 0x31) /* another version, or O: a packet of its management */
		return DEDUP_CLOSED;
	return dedup_open_proto(w, next == 1   ? ETH_P_IP
				   : next == 2 ? ETH_P_IPV6
				   : next == 3 ? DEDUP_ETH_TEB
				   : next == 5 ? ETH_P_MPLS_UC
					       : 0);
}

static __always_inline int dedup_open_geneve(struct dedup_walk *w)
{
	__u64 len;

	w->kind = DEDUP_TUNNEL_geneve;
	w->outer = dedup_offset(w);
	if (!dedup_has(w, 8))
		return DEDUP_REASON_truncated;
	if (w->pos[0] >> 6 || w->pos[1] & 0x80) /* version; O: management */
		return DEDUP_CLOSED;
	len = 8 + (w->pos[0] & 0x3f) * 4;
	if (dedup_open_proto(w, dedup_be16(w->pos + 2)) == DEDUP_CLOSED)
		return DEDUP_CLOSED;
	if (len > w->left)
		return DEDUP_REASON_bad_tunnel;
	if (!dedup_has(w, len))
		return DEDUP_REASON_truncated;
	dedup_step(w, len);
	return DEDUP_OPENED;
}

/* Steps over the extension headers of GTP-U, of which the first is of the type `next`. Returns
 * DEDUP_OPENED, or what is wrong.
 */
static __always_inline int dedup_skip_gtp_extensions(struct dedup_walk *w, __u8 next)
{
	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_GTP_EXTENSIONS_MAX; i++) {
		__u64 last; /* its last byte, which has the type of the next one */

		if (!next)
			break;
		if (!dedup_has(w, 4))
			return DEDUP_REASON_truncated;
		if (!w->pos[0])
			return DEDUP_REASON_bad_tunnel;
		last = w->pos[0] * 4 - 1;
		DEDUP_BOUND(last, 0x3ff);
		if (!dedup_has(w, last))
			return DEDUP_REASON_truncated;
		dedup_step(w, last);
		barrier_var(w->pos); /* else the compiler tests another pointer than it reads by */
		if (!dedup_has(w, 1))
			return DEDUP_REASON_truncated;
		next = w->pos[0];
		dedup_step(w, 1);
	}
	return next ? DEDUP_CLOSED : DEDUP_OPENED;
}

static __always_inline int dedup_open_gtp(struct dedup_walk *w)
{
	__u8 flags, next = 0;
	bool cut;
	int result;

	w->kind = DEDUP_TUNNEL_gtp;
	w->outer = dedup_offset(w);
	if (!dedup_has(w, 8))
		return DEDUP_REASON_truncated;
	flags = w->pos[0];
	if (flags >> 4 != 3 || w->pos[1] != 255) /* version 1, GTP, a user's packet */
		return DEDUP_CLOSED;
	cut = !dedup_cut_to(w, 8 + dedup_be16(w->pos + 2));
	dedup_step(w, 8);
	if (flags & 7) { /* E, S, PN: any of them brings these 4 bytes */
		if (!dedup_has(w, 4))
			return DEDUP_REASON_truncated;
		if (flags & 4)
			next = w->pos[3];
		dedup_step(w, 4);
	}
	result = dedup_skip_gtp_extensions(w, next);
	if (result == DEDUP_OPENED)
		result = dedup_open_guessed_ip(w);
	return result == DEDUP_OPENED && cut ? DEDUP_REASON_truncated : result;
}

/* Steps over the tags of TZSP and their end tag. Returns DEDUP_OPENED, or what is wrong. */
static __always_inline int dedup_skip_tzsp_tags(struct dedup_walk *w)
{
	__u16 original = 0; /* length of the frame, if it was cut */
	__u8 tag = 0;

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_TZSP_TAGS_MAX; i++) {
		__u64 len;

		if (tag == 1)
			break;
		if (!dedup_has(w, 4)) /* the shortest frame is longer */
			return DEDUP_REASON_truncated;
		tag = w->pos[0];
		len = tag < 2 ? 1 : 2 + w->pos[1]; /* padding, and the end, have no length */
		if (tag == 41)
			original = dedup_be16(w->pos + 2);
		DEDUP_BOUND(len, 0x1ff);
		if (!dedup_has(w, len))
			return DEDUP_REASON_truncated;
		dedup_step(w, len);
		barrier_var(w->pos); /* else the compiler tests another pointer than it reads by */
	}
	if (original > w->left)
		return DEDUP_REASON_truncated;
	return tag == 1 ? DEDUP_OPENED : DEDUP_CLOSED;
}

static __always_inline int dedup_open_tzsp(struct dedup_walk *w)
{
	int result;

	w->kind = DEDUP_TUNNEL_tzsp;
	w->outer = dedup_offset(w);
	if (!dedup_has(w, 4))
		return DEDUP_REASON_truncated;
	/* Version 1, a received packet, of Ethernet. */
	if (dedup_be16(w->pos) != 0x0100 || dedup_be16(w->pos + 2) != 1)
		return DEDUP_CLOSED;
	dedup_step(w, 4);
	result = dedup_skip_tzsp_tags(w);
	return result == DEDUP_OPENED ? dedup_open_proto(w, DEDUP_ETH_TEB) : result;
}

/* HP's mirroring. The contents of its header are not public. */
static __always_inline int dedup_open_erm(struct dedup_walk *w)
{
	w->kind = DEDUP_TUNNEL_erm;
	w->outer = dedup_offset(w);
	if (!dedup_has(w, DEDUP_ERM_HEADER))
		return DEDUP_REASON_truncated;
	dedup_step(w, DEDUP_ERM_HEADER);
	return dedup_open_proto(w, DEDUP_ETH_TEB);
}

/* `usual`: see dedup_open_usual(). */
static __always_inline int dedup_open_udp(struct dedup_walk *w, const struct dedup_tunnels *t,
					  bool usual)
{
	__u32 kind = DEDUP_TUNNELS_CNT;
	__u16 port;

	if (!dedup_has(w, 8))
		return DEDUP_CLOSED;
	port = dedup_be16(w->pos + 2);
	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_TUNNEL_PORTS_MAX; i++)
		if (i < t->ports_cnt && t->ports[i].port == port)
			kind = t->ports[i].kind;
	if (kind == DEDUP_TUNNELS_CNT)
		return DEDUP_CLOSED;
	w->kind = kind;
	w->guessed = true;
	if (dedup_be16(w->pos + 4) < 8 || !dedup_cut_to(w, dedup_be16(w->pos + 4)))
		return DEDUP_REASON_bad_udp;
	dedup_step(w, 8);
	if (kind == DEDUP_TUNNEL_vxlan)
		return dedup_open_vxlan(w);
	if (kind == DEDUP_TUNNEL_geneve)
		return dedup_open_geneve(w);
	if (usual)
		return DEDUP_CLOSED;
	if (kind == DEDUP_TUNNEL_tzsp)
		return dedup_open_tzsp(w);
	return kind == DEDUP_TUNNEL_erm ? dedup_open_erm(w) : dedup_open_gtp(w);
}

/* An IP packet. */
static __always_inline int dedup_open_in_ip(struct dedup_walk *w, const struct dedup_tunnels *t)
{
	__u32 outer = dedup_offset(w);
	int protocol = w->proto == ETH_P_IP ? dedup_skip_ipv4(w) : dedup_skip_ipv6(w);

	dedup_join_paths(w);
	if (protocol == IPPROTO_UDP)
		return t->ports_cnt ? dedup_open_udp(w, t, false) : DEDUP_CLOSED;
	if (protocol == IPPROTO_GRE)
		return dedup_open_gre(w);
	if (protocol == IPPROTO_MPLS)
		return dedup_open_mpls(w);
	if (protocol != IPPROTO_IPIP && protocol != IPPROTO_IPV6)
		return DEDUP_CLOSED;
	w->kind = DEDUP_TUNNEL_ipip;
	w->outer = outer;
	w->proto = protocol == IPPROTO_IPIP ? ETH_P_IP : ETH_P_IPV6;
	return DEDUP_OPENED;
}

/* Opens the tunnel at w->pos, if there is one of the kinds that *t has. Returns DEDUP_OPENED: *w is
 * the inner packet; DEDUP_CLOSED: there is none, and *w is void; else the reason why the frame is
 * not looked at further. A tunnel is closed, too, if its header is of another version, if what is
 * inside is of a protocol that is unknown here, or if that is a guess and not plausible.
 */
static __always_inline int dedup_open_tunnel(struct dedup_walk *w, const struct dedup_tunnels *t)
{
	int result = DEDUP_CLOSED;

	w->ethernet = DEDUP_NO_ETHERNET;
	w->guessed = false;
	if (w->proto == ETH_P_IP || w->proto == ETH_P_IPV6)
		result = dedup_open_in_ip(w, t);
	else if (w->proto == ETH_P_MPLS_UC || w->proto == ETH_P_MPLS_MC)
		result = dedup_open_mpls(w);
	else if (w->proto == ETH_P_PPP_SES)
		result = dedup_open_pppoe(w);
	if (result == DEDUP_OPENED && w->proto == DEDUP_ETH_TEB)
		result = dedup_open_ethernet(w, t->kinds);
	if (result == DEDUP_OPENED && w->guessed) {
		dedup_join_paths(w);
		result = dedup_check_guess(w, false);
	}
	return result != DEDUP_CLOSED && !(t->kinds >> w->kind & 1) ? DEDUP_CLOSED : result;
}

/* Opens the tunnels that are usual behind taps and in clouds: VXLAN, Geneve, GRE and ERSPAN over
 * IPv4; what is a guess, only if it is IP. It has so few paths that the verifier can follow it in
 * place. DEDUP_OPENED: as dedup_open_tunnel(), but no VLAN tags are stepped over. Else *w is void,
 * and dedup_open_tunnel() finds out what the packet is.
 */
static __always_inline int dedup_open_usual(struct dedup_walk *w, const struct dedup_tunnels *t)
{
	int protocol, result = DEDUP_CLOSED;

	w->ethernet = DEDUP_NO_ETHERNET;
	w->guessed = false;
	if (w->proto != ETH_P_IP)
		return DEDUP_CLOSED;
	protocol = dedup_skip_ipv4(w);
	if (protocol == IPPROTO_UDP)
		result = dedup_open_udp(w, t, true);
	else if (protocol == IPPROTO_GRE)
		result = dedup_open_gre(w);
	if (result == DEDUP_OPENED && w->proto == DEDUP_ETH_TEB)
		result = dedup_open_ethernet_header(w);
	if (result == DEDUP_OPENED && w->guessed)
		result = dedup_check_guess(w, true);
	return result == DEDUP_OPENED && t->kinds >> w->kind & 1 ? DEDUP_OPENED : DEDUP_CLOSED;
}
