// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "own_macs.h"

#include <errno.h>
#include <string.h>

#include "kernel.h"

/* What frames for this host have as their destination on one interface, as the packet path
 * compares it: most of them the first. None is there twice.
 */
struct own {
	uint64_t words[DEDUP_MACS_MAX + 1];
	int cnt;
	bool cut; /* there are more */
};

static void add_mac(struct own *own, const struct link *link, uint64_t index_bits)
{
	uint64_t first8 = 0, word;

	if (!link->has_mac)
		return;
	memcpy(&first8, link->mac, sizeof(link->mac));
	word = dedup_mac_word(first8) | index_bits;
	for (int i = 0; i < own->cnt; i++)
		if (own->words[i] == word)
			return;
	own->cut = own->cnt == DEDUP_MACS_MAX + 1;
	if (!own->cut)
		own->words[own->cnt++] = word;
}

static uint64_t index_bits(const struct filter *f, uint32_t ifindex)
{
	return f->config->several ? dedup_mac_index(ifindex) : 0;
}

/* The slot that a filter of several interfaces has for this one's first word; NULL where it is
 * another interface's as well.
 */
static __u64 *slot_of(const struct filter *f, uint32_t ifindex)
{
	const struct dedup_iface *ifaces = f->state->ifaces;

	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (ifaces[i].ifindex && ifaces[i].ifindex != ifindex &&
		    dedup_own_slot(ifaces[i].ifindex) == dedup_own_slot(ifindex))
			return NULL;
	return &f->state->own_macs[dedup_own_slot(ifindex)];
}

/* Where the packet path looks first for this interface; NULL: nowhere. */
static __u64 *first_place(const struct filter *f, uint32_t ifindex)
{
	if (f->config->several)
		return slot_of(f, ifindex);
	return f->config->receiver == DEDUP_ONE_INTERFACE ? &f->state->own_mac : NULL;
}

/* The outermost bridge or bond comes first: the host's addresses are there. A word in the first
 * place has no index.
 */
static struct own own_of(const struct filter *f, const struct links *l, const struct link *link)
{
	uint64_t bits = index_bits(f, link->index);
	const struct link *top = link, *next = link;
	struct own own = { .cnt = 0 };

	while ((next = next->master ? links_find(l, next->master) : NULL))
		top = next;
	add_mac(&own, top, bits);
	add_mac(&own, link, bits);
	for (int i = 0; i < l->cnt; i++)
		if (links_is_on(l, l->list[i].index, link->index))
			add_mac(&own, &l->list[i], bits);
	if (own.cnt && first_place(f, link->index))
		own.words[0] &= ~bits;
	return own;
}

/* Who is recorded with such words, here and elsewhere? */
static bool is_recorded(const struct filter *f, uint64_t bits, bool here)
{
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct dedup_iface *iface = &f->state->ifaces[i];

		if (iface->ifindex && index_bits(f, iface->ifindex) == bits &&
		    (iface->netns == kernel_netns()) == here)
			return true;
	}
	return false;
}

/* A list of further MACs, as the filter will have it. */
struct list {
	uint64_t words[DEDUP_MACS_MAX];
	uint32_t cnt;
	bool cut;
};

static void add_word(struct list *list, uint64_t word)
{
	if (list->cnt == DEDUP_MACS_MAX)
		list->cut = true;
	else
		list->words[list->cnt++] = word;
}

/* Those that only another network namespace can tell. */
static void keep_elsewhere(const struct filter *f, struct list *list)
{
	for (uint32_t i = 0; i < f->state->macs_cnt && i < DEDUP_MACS_MAX; i++) {
		uint64_t bits = f->config->several ? f->state->macs[i] & 0xffff : 0;

		if (is_recorded(f, bits, false) && !is_recorded(f, bits, true))
			add_word(list, f->state->macs[i]);
	}
}

static void set_interface(struct filter *f, const struct links *l, const struct link *link,
			  struct list *list)
{
	struct own own = own_of(f, l, link);
	__u64 *place = first_place(f, link->index);

	if (place)
		*(volatile __u64 *)place = own.cnt ? own.words[0] : DEDUP_MAC_NONE;
	else if (f->config->several)
		f->state->own_macs[dedup_own_slot(link->index)] = DEDUP_MAC_NONE;
	for (int i = place ? 1 : 0; i < own.cnt; i++)
		add_word(list, own.words[i]);
	list->cut |= own.cut;
}

int own_macs_set(struct filter *f, const struct links *l)
{
	struct dedup_state *state = f->state;
	struct list list = { .cnt = 0 };

	if (f->config->receiver != DEDUP_ONE_INTERFACE)
		state->own_mac = DEDUP_MAC_NONE;
	keep_elsewhere(f, &list);
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct dedup_iface *iface = &state->ifaces[i];
		const struct link *link = links_find(l, iface->ifindex);

		if (link && iface->netns == kernel_netns())
			set_interface(f, l, link, &list);
	}
	/* Word by word: a packet that meets this half done passes at worst. */
	for (uint32_t i = 0; i < list.cnt; i++)
		*(volatile __u64 *)&state->macs[i] = list.words[i];
	*(volatile __u64 *)&state->macs_cnt = list.cnt;
	return list.cut ? -ENOSPC : 0;
}

static bool is_listed(const struct filter *f, uint64_t word)
{
	for (uint32_t i = 0; i < f->state->macs_cnt && i < DEDUP_MACS_MAX; i++)
		if (f->state->macs[i] == word)
			return true;
	return false;
}

bool own_macs_agree(const struct filter *f, const struct links *l, uint32_t ifindex)
{
	const struct link *link = links_find(l, ifindex);
	uint64_t bits = index_bits(f, ifindex);
	__u64 *place = first_place(f, ifindex);
	uint32_t listed = 0;
	struct own own;

	if (!link || f->config->forwarded)
		return true;
	own = own_of(f, l, link);
	for (uint32_t i = 0; i < f->state->macs_cnt && i < DEDUP_MACS_MAX; i++)
		listed += !f->config->several || (f->state->macs[i] & 0xffff) == bits;
	if (own.cut || listed + !!place != (uint32_t)own.cnt + (place && !own.cnt))
		return false;
	for (int i = 0; i < own.cnt; i++)
		if (place && !i ? *place != own.words[0] : !is_listed(f, own.words[i]))
			return false;
	return true;
}
