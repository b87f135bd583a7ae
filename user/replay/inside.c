// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "inside.h"

#include <arpa/inet.h>
#include <string.h>

#include "decapsulate.h"
#include "integers.h"

#define GRE_CHECKSUM 0x80 /* flags in the header's first byte */
#define GRE_KEY 0x20

/* Steps over the Ethernet header, and over VLAN tags as the packet program does: over two, and over
 * more only with `vlan`. Returns false if a tag is cut off.
 */
static bool step_over_link(struct dedup_walk *w, uint32_t kinds, bool *stacked)
{
	w->proto = dedup_be16(w->pos + ETH_HLEN - 2);
	dedup_step(w, ETH_HLEN);
	w->tags = 0;
	*stacked = false;
	if (!dedup_skip_tags(w, DEDUP_TAGS)) /* cut off, with any --tunnels */
		return true;
	*stacked = kinds & DEDUP_TUNNEL_BIT(vlan) && dedup_is_tag(w->proto);
	return !*stacked || dedup_skip_tags(w, DEDUP_TAGS_MAX);
}

static uint32_t mixed(uint32_t hash, const uint8_t *bytes, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		hash = (hash ^ bytes[i]) * 16777619;
	return hash;
}

static uint32_t add_labels(uint32_t hash, const uint8_t *at, const uint8_t *end)
{
	for (bool bottom = false; !bottom && at + 4 <= end; at += 4) {
		const uint8_t label[] = { at[0], at[1], at[2] & 0xf0 };

		hash = mixed(hash, label, sizeof(label));
		bottom = at[2] & 1;
	}
	return hash;
}

/* Adds the number of the last opened tunnel to the hash. */
static uint32_t add_number(uint32_t hash, const struct dedup_walk *w)
{
	const uint8_t *header = w->data + w->outer;

	switch (w->kind) {
	case DEDUP_TUNNEL_mpls:
		return add_labels(hash, header, w->pos);
	case DEDUP_TUNNEL_pppoe:
		return mixed(hash, header + 2, 2);
	case DEDUP_TUNNEL_gre:
		if (!(header[0] & GRE_KEY))
			return hash;
		return mixed(hash, header + (header[0] & GRE_CHECKSUM ? 8 : 4), 4);
	case DEDUP_TUNNEL_vxlan:
	case DEDUP_TUNNEL_geneve:
		return mixed(hash, header + 4, 3);
	case DEDUP_TUNNEL_gtp:
		return mixed(hash, header + 4, 4);
	default:
		return hash;
	}
}

/* Adds the destination of the IP packet at `w` to the hash, if it is unicast. */
static uint32_t add_destination(uint32_t hash, const struct dedup_walk *w)
{
	if (w->proto == ETH_P_IP && w->pos + 20 <= w->end && w->pos[16] >> 4 != 0xe)
		return mixed(hash, w->pos + 16, 4);
	if (w->proto == ETH_P_IPV6 && w->pos + 40 <= w->end && w->pos[24] != 0xff)
		return mixed(hash, w->pos + 24, 16);
	return hash;
}

static void note_fault(struct inside *out, const struct capture_frame *f, uint32_t kind, int because)
{
	out->is_faulty = true;
	out->faulty_kind = f->len < f->wire_len ? DEDUP_TUNNELS_CNT : kind;
	out->because = because;
}

/* Returns whether the inner packet is an IP packet that is longer than its carrier. */
static bool is_cut(const struct dedup_walk *w)
{
	if (w->proto == ETH_P_IP)
		return dedup_has(w, 4) && dedup_be16(w->pos + 2) > w->left;
	return w->proto == ETH_P_IPV6 && dedup_has(w, 6) && 40U + dedup_be16(w->pos + 4) > w->left;
}

/* Opens nested tunnels, until one is faulty. */
static void open_levels(struct inside *out, const struct capture_frame *f, struct dedup_walk *w,
			const struct dedup_tunnels *t)
{
	for (int i = 0; i < DEDUP_TUNNEL_LEVELS; i++) {
		struct dedup_walk next = *w;
		int result;

		next.kind = DEDUP_TUNNELS_CNT;
		next.outer = next.tags = 0;
		result = dedup_open_tunnel(&next, t);
		if (result == DEDUP_CLOSED)
			break;
		if (result != DEDUP_OPENED) {
			note_fault(out, f, next.kind, result);
			return;
		}
		out->to = add_number(add_destination(out->to ?: 1, w), &next);
		*w = next;
		out->tunnels |= 1U << w->kind;
		if (w->tags > DEDUP_TAGS)
			out->tunnels |= DEDUP_TUNNEL_BIT(vlan);
	}
	if (w->kind != DEDUP_TUNNELS_CNT && is_cut(w)) {
		note_fault(out, f, w->kind, DEDUP_REASON_truncated);
		out->faulty_kind = w->kind; /* the snap length is not the reason */
	}
}

/* Makes the inner frame, whose packet is at `w`. */
static void make_frame(struct inside *out, const struct dedup_walk *w, uint8_t *buffer, uint32_t size)
{
	uint64_t have = w->pos < w->end ? (uint64_t)(w->end - w->pos) : 0;
	const uint8_t *macs = w->data;
	uint16_t proto = htons(w->proto);

	out->has_ethernet = w->ethernet != DEDUP_NO_ETHERNET;
	if (out->has_ethernet)
		macs += w->ethernet;
	have = lesser(lesser(have, w->left), size - ETH_HLEN);
	memcpy(buffer, macs, 2 * (size_t)ETH_ALEN);
	memcpy(buffer + 2 * (size_t)ETH_ALEN, &proto, sizeof(proto));
	memcpy(buffer + ETH_HLEN, w->pos, have);
	out->frame.data = buffer;
	out->frame.len = ETH_HLEN + (uint32_t)have;
	out->frame.wire_len = ETH_HLEN + (uint32_t)w->left;
}

void inside_open(struct inside *out, const struct capture_frame *f, const struct dedup_tunnels *t,
		 uint8_t *buffer, uint32_t size)
{
	struct dedup_walk w = {
		.data = f->data, .end = f->data + f->len, .pos = f->data, .kind = DEDUP_TUNNELS_CNT
	};
	bool stacked;

	*out = (struct inside){ .frame = *f, .has_ethernet = true, .faulty_kind = DEDUP_TUNNELS_CNT };
	w.left = f->wire_len;
	if (!dedup_has(&w, ETH_HLEN))
		return;
	if (!step_over_link(&w, t->kinds, &stacked)) {
		note_fault(out, f, DEDUP_TUNNEL_vlan, DEDUP_REASON_truncated);
		return;
	}
	out->tunnels = stacked ? DEDUP_TUNNEL_BIT(vlan) : 0;
	open_levels(out, f, &w, t);
	if (out->tunnels && !out->is_faulty)
		make_frame(out, &w, buffer, size);
}
