/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a frame for this host, of a VLAN of --vlan, and is its IP destination one of --to?
 * include/destination.h says what the words are.
 */
#pragma once

#include <stdbool.h>

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/ipv6.h>

#include <bpf/bpf_endian.h>

#include "destination.h"
#include "link.bpf.h"
#include "maps.bpf.h"
#include "parse.bpf.h"

/* Filters of several interfaces: is it the word that most frames for the interface have by which
 * this one came in?
 */
static __always_inline bool is_own_of_several(struct xdp_md *ctx, __u64 word)
{
	const __u64 *slots = record.own_macs;

	barrier_var(slots); /* else the compiler adds slot and own_macs' offset one by one */
	return word == READ_ONCE(slots[dedup_own_slot(ctx->ingress_ifindex)]);
}

struct mac_search {
	__u64 word;
	__u64 found;
};

/* For DEDUP_LOOP(): ends the loop at the MAC that is searched. */
static long compare_mac(__u32 i, struct mac_search *search)
{
	__u64 n = i;

	DEDUP_BOUND(n, DEDUP_MACS_MAX - 1);
	search->found = search->word == READ_ONCE(record.macs[n]);
	return search->found;
}

/* Is it one of the further MACs of this host? */
static __always_inline bool is_listed_mac(struct xdp_md *ctx, __u64 word)
{
	struct mac_search search = { .word = word };
	__u64 cnt = READ_ONCE(record.macs_cnt);

	if (config.asked.several)
		search.word |= dedup_mac_index(ctx->ingress_ifindex);
	DEDUP_LOOP(cnt < DEDUP_MACS_MAX ? cnt : DEDUP_MACS_MAX, compare_mac, &search);
	return search.found;
}

/* Multicast and broadcast: for this host, too. */
static __always_inline bool is_group_mac(const struct ethhdr *eth)
{
	return eth->h_dest[0] & 1;
}

/* Does the frame's MAC say that it is for this host? 1 or 0. A global function: verified once, not
 * again for each path that leads here.
 */
__noinline int is_for_host(struct xdp_md *ctx)
{
	struct packet pkt = { 0 };
	const struct ethhdr *eth;
	__u64 word;

	if (open_packet(ctx, &pkt) != PARSED)
		return 0;
	eth = ethernet(&pkt);
	word = dedup_mac_word(*(const __u64 *)eth);
	return is_group_mac(eth) || word == READ_ONCE(record.own_mac) ||
	       (config.asked.several && is_own_of_several(ctx, word)) || is_listed_mac(ctx, word);
}

/* Is this address, in network order (IPv4: in `high`), in one of the prefixes first to end - 1? */
static __always_inline bool is_named(__u64 high, __u64 low, __u64 first, __u64 end)
{
	for (__u64 i = first; i < DEDUP_TO_MAX && i < end; i++) {
		const volatile struct dedup_prefix *p = &config.policy.to[i];

		if ((high & p->mask[0]) == p->addr[0] && (low & p->mask[1]) == p->addr[1])
			return true;
	}
	return false;
}

/* Is this an IP packet for one of to_cnt destinations from config.to[first] on, of which the first
 * to4_cnt are IPv4? pkt->pos is its IP header.
 */
static __always_inline bool is_to_named(struct packet *pkt, __be16 proto, __u64 first,
					__u64 to4_cnt, __u64 to_cnt)
{
	struct iphdr *ip4 = pkt->pos;
	struct ipv6hdr *ip6 = pkt->pos;
	const __u64 *daddr = (const void *)&ip6->daddr;

	if (proto == bpf_htons(ETH_P_IP) && (void *)(ip4 + 1) <= pkt->end)
		return is_named(ip4->daddr, 0, first, first + to4_cnt);
	if (proto == bpf_htons(ETH_P_IPV6) && (void *)(ip6 + 1) <= pkt->end)
		return is_named(daddr[0], daddr[1], first + to4_cnt, first + to_cnt);
	return false;
}

/* Right after open_packet(): is the frame of a VLAN of --vlan? No if its tag is cut off. */
static __always_inline bool is_of_vlan(const struct packet *pkt)
{
	const struct vlan_tag *tag = pkt->pos;
	__be16 proto = ethernet(pkt)->h_proto;
	__u16 id = 0;

	if (proto == bpf_htons(ETH_P_8021Q) || proto == bpf_htons(ETH_P_8021AD)) {
		if ((void *)(tag + 1) > pkt->end)
			return false;
		id = bpf_ntohs(tag->tci) & VLAN_ID_MASK;
	}
	for (__u64 i = 0; i < DEDUP_VLANS_MAX && i < config.asked.vlans_cnt; i++)
		if (is_in(&config.asked.vlans[i], id))
			return true;
	return false;
}

/* All tests, for frames that check_destination() cannot tell from one word. 1: the frame is to be
 * looked at; 0: it is not. A global function, like the one above.
 */
__noinline int is_for_us(struct xdp_md *ctx)
{
	struct packet pkt = { 0 };
	__be16 proto;

	if (!config.policy.forwarded && !is_for_host(ctx))
		return 0;
	if (open_packet(ctx, &pkt) != PARSED || (config.asked.vlans_cnt && !is_of_vlan(&pkt)) ||
	    parse_tags(&pkt, &proto) != PARSED)
		return 0;
	return !config.policy.to_cnt ||
	       is_to_named(&pkt, proto, 0, config.policy.streams[0].to4_cnt, config.policy.to_cnt);
}

/* Right after open_packet(), in a filter without streams: PARSED if the frame is to be looked at,
 * else the reason. record.own_mac is the word of most frames if config.policy.receiver is
 * DEDUP_ONE_INTERFACE, and the first comparison is all that these pay for. Otherwise it is
 * DEDUP_MAC_NONE, which no frame has, and the tests below decide.
 */
static __always_inline int check_destination(struct xdp_md *ctx, struct packet *pkt)
{
	__u64 word = dedup_mac_word(*(const __u64 *)ethernet(pkt));
	__u32 receiver;

	if (likely(word == READ_ONCE(record.own_mac)))
		return PARSED;
	receiver = config.policy.receiver;
	if (receiver == DEDUP_ANYONE) {
		DEDUP_ELSE();
		return PARSED;
	}
	if (receiver == DEDUP_SEVERAL_INTERFACES) {
		if (likely(is_own_of_several(ctx, word)))
			return PARSED;
	} else {
		DEDUP_ELSE();
	}
	if (!is_for_us(ctx))
		return stop(DEDUP_REASON_ignored);
	/* Sets pkt anew. To save it across the call would cost instructions for all packets. */
	return open_packet(ctx, pkt);
}
