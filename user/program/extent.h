/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The extent of a frame: how many of its bytes decide the verdict. Only program.c includes this
 * file, after the packet program.
 */
#pragma once

#define ALL UINT32_MAX /* an extent: all bytes of the frame */

/* Bytes from the frame's front that the search for tunnels has read. */
static __u32 walked;

static void note_read(__u64 end)
{
	if (end > walked)
		walked = end;
}

/* Returns the extent of the headers of an IPv6 packet at offset `at`. The first two bytes of an
 * extension header give the next header and its offset.
 */
static __u32 ipv6_extent(const struct packet *pkt, __u32 at)
{
	const struct ipv6hdr *ip6 = pkt->pos;
	const struct ipv6_opt_hdr *extension = (const void *)(ip6 + 1);
	__u8 next = ip6->nexthdr;

	at += sizeof(*ip6);
	for (int i = 0; i <= DEDUP_IPV6_EXTENSIONS_MAX; i++) {
		__u32 len;

		if (DEDUP_NO_EXTENSION(next) && next != IPPROTO_FRAGMENT)
			break;
		if ((void *)(extension + 1) > pkt->end)
			return ALL;
		if (next == IPPROTO_FRAGMENT || i == DEDUP_IPV6_EXTENSIONS_MAX)
			return at + sizeof(*extension);
		len = dedup_extension_bytes(next, extension->hdrlen);
		next = extension->nexthdr;
		extension = (const void *)((const char *)extension + len);
		at += len;
	}
	return at + (next == IPPROTO_UDP ? sizeof(struct udphdr) : 0);
}

/* Returns the extent of the headers of the packet at pkt->pos, which is offset `at`. */
static __u32 packet_extent(const struct packet *pkt, __be16 proto, __u32 at)
{
	const struct iphdr *ip4 = pkt->pos;

	if (proto == bpf_htons(ETH_P_IP) && (void *)(ip4 + 1) <= pkt->end) {
		if (ip4->protocol != IPPROTO_UDP || ip4->ihl < 5)
			return at + sizeof(*ip4);
		return at + 4 * ip4->ihl + sizeof(struct udphdr);
	}
	if (proto != bpf_htons(ETH_P_IPV6))
		return at + (proto == bpf_htons(ETH_P_IP) ? sizeof(*ip4) : 0);
	if (pkt->pos + sizeof(struct ipv6hdr) > pkt->end)
		return at + sizeof(struct ipv6hdr);
	return ipv6_extent(pkt, at);
}

/* Raises *extent to the end of a load's bytes. */
static void extend(__u32 *extent, const struct frame *f, const struct dedup_load *load)
{
	__u32 end = f->base[load->base] + load->at + sizeof(__u64);

	if (end > *extent && end <= f->limit[load->base])
		*extent = end;
}

/* Returns the extent that decides whether the frame belongs to the stream, and its id. `reason`:
 * the result of the stream's rules.
 */
static __u32 extent_of(const struct frame *f, const struct dedup_stream *s, int reason)
{
	__u32 extent = 0, from, end;

	/* The body of an EVENT, behind its id, does not matter. */
	if (s->decoder == DEDUP_GSP && reason == PARSED)
		extent = f->base[DEDUP_PAYLOAD] + sizeof(struct gsp_header) + GSP_ID_BYTES;
	else if (s->decoder == DEDUP_GSP)
		extent = f->limit[DEDUP_PAYLOAD];
	for (__u32 i = 0; i < s->gates_cnt; i++)
		extend(&extent, f, &s->gates[i].load);
	for (__u32 i = 0; i < s->loads_cnt; i++)
		extend(&extent, f, &s->loads[i]);
	if (!s->digest)
		return extent;
	from = digest_from(f, s->digest) + s->digest_skip;
	end = digest_to(f, s->digest);
	if (end > from && end - from > dedup_digest_max(s))
		end = from + dedup_digest_max(s);
	return end > extent ? end : extent;
}
