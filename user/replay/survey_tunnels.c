// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "survey_state.h"

#include <string.h>

static void note_outer_address(struct survey_tunnel *t, const struct flow *outer)
{
	if (!outer->ipv4 && !outer->ipv6)
		return;
	for (uint32_t i = 0; i < t->addresses_cnt; i++)
		if (t->ipv4[i] == outer->ipv4 &&
		    !memcmp(t->addresses[i], outer->to, sizeof(outer->to)))
			return;
	if (t->addresses_cnt == SURVEY_ADDRESSES_MAX) {
		t->more_addresses = true;
		return;
	}
	t->ipv4[t->addresses_cnt] = outer->ipv4;
	memcpy(t->addresses[t->addresses_cnt++], outer->to, sizeof(outer->to));
}

static void note_faulty(struct survey_tunnel *tunnels, const struct inside *inside)
{
	if (inside->faulty_kind == DEDUP_TUNNELS_CNT)
		return;
	if (inside->because == DEDUP_REASON_truncated)
		tunnels[inside->faulty_kind].truncated++;
	else
		tunnels[inside->faulty_kind].bad++;
}

void survey_tunnels_note(struct survey_tunnel tunnels[DEDUP_TUNNELS_CNT],
			 const struct capture_frame *f, const struct inside *inside,
			 enum survey_kind kind)
{
	struct flow outer;

	if (inside->is_faulty) {
		note_faulty(tunnels, inside);
		return;
	}
	if (!inside->tunnels)
		return;
	flow_of(&outer, f->data, f->len);
	for (uint32_t i = 0; i < DEDUP_TUNNELS_CNT; i++) {
		if (!(inside->tunnels >> i & 1))
			continue;
		tunnels[i].packets++;
		tunnels[i].bytes += f->wire_len;
		tunnels[i].inside[kind]++;
		note_outer_address(&tunnels[i], &outer);
	}
}
