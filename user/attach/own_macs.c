// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "own_macs.h"

#include <errno.h>
#include <string.h>

#include "iface.h"
#include "open_filter.h"

/* The MACs of this host on one interface, as words of destination.h, each once. words[0] is the
 * destination of most frames.
 */
struct own {
	uint64_t index_bits; /* of all words except the first */
	uint64_t words[DEDUP_MACS_MAX + 1];
	int cnt;
	bool cut; /* not all MACs fit */
};

static void add_word(struct own *own, uint64_t word, int room)
{
	own->cut |= own->cnt == room;
	if (own->cnt < room)
		own->words[own->cnt++] = word;
}

static bool has_word(const struct own *own, uint64_t word)
{
	for (int i = 0; i < own->cnt; i++)
		if (own->words[i] == word)
			return true;
	return false;
}

static int add_mac(const struct link *link, void *arg)
{
	struct own *own = arg;
	uint64_t first8 = 0, word;

	if (!link->has_mac)
		return 0;
	memcpy(&first8, link->mac, sizeof(link->mac));
	word = dedup_mac_word(first8) | own->index_bits;
	if (!has_word(own, word))
		add_word(own, word, DEDUP_MACS_MAX + 1);
	return 0;
}

/* Returns the bits of a word that identify its interface; 0 in a filter of one interface. */
static uint64_t index_bits(const struct filter *f, uint32_t ifindex)
{
	return f->config->asked.several ? dedup_mac_index(ifindex) : 0;
}

/* In a filter of several interfaces, returns this interface's slot in own_macs; NULL if another
 * interface has that slot, too.
 */
static __u64 *own_slot(const struct filter *f, uint32_t ifindex)
{
	const struct dedup_iface *ifaces = f->record->ifaces;

	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (ifaces[i].ifindex && ifaces[i].ifindex != ifindex &&
		    dedup_own_slot(ifaces[i].ifindex) == dedup_own_slot(ifindex))
			return NULL;
	return &f->record->own_macs[dedup_own_slot(ifindex)];
}

/* Returns the field for words[0] of this interface, which the packet path compares before the list
 * `macs`; NULL if this interface has no such field.
 */
static __u64 *first_compared(const struct filter *f, uint32_t ifindex)
{
	if (f->config->asked.several)
		return own_slot(f, ifindex);
	return f->config->policy.receiver == DEDUP_ONE_INTERFACE ? &f->record->own_mac : NULL;
}

/* Collects the MACs of one interface. The outermost bridge or bond is first: it has the host's
 * addresses, so most frames are for its MAC. The word in first_compared() has no index bits, as
 * that field belongs to one interface.
 */
static struct own own_of(const struct filter *f, const struct links *l, const struct link *link)
{
	const struct link *top = link, *next = link;
	struct own own = { .index_bits = index_bits(f, link->index) };

	while ((next = next->master ? links_find(l, next->master) : NULL))
		top = next;
	add_mac(top, &own);
	add_mac(link, &own);
	links_each_above(l, link->index, add_mac, &own);
	if (own.cnt && first_compared(f, link->index))
		own.words[0] &= ~own.index_bits;
	return own;
}

/* Does the record have an interface with these index bits that is local, or, if !local, is not? */
static bool is_recorded(const struct filter *f, const struct links *l, uint64_t bits, bool local)
{
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct dedup_iface *iface = &f->record->ifaces[i];

		if (iface->ifindex && index_bits(f, iface->ifindex) == bits &&
		    (iface_is_local(iface) && links_find(l, iface->ifindex)) == local)
			return true;
	}
	return false;
}

/* Keeps the words of interfaces in other network namespaces, whose MACs this process cannot read. */
static void keep_nonlocal(const struct filter *f, const struct links *l, struct own *list)
{
	for (uint32_t i = 0; i < f->record->macs_cnt && i < DEDUP_MACS_MAX; i++) {
		uint64_t bits = f->config->asked.several ? f->record->macs[i] & 0xffff : 0;

		if (is_recorded(f, l, bits, false) && !is_recorded(f, l, bits, true))
			add_word(list, f->record->macs[i], DEDUP_MACS_MAX);
	}
}

static void set_interface(struct filter *f, const struct links *l, const struct link *link,
			  struct own *list)
{
	struct own own = own_of(f, l, link);
	__u64 *first = first_compared(f, link->index);

	if (first)
		*(volatile __u64 *)first = own.cnt ? own.words[0] : DEDUP_MAC_NONE;
	else if (f->config->asked.several)
		f->record->own_macs[dedup_own_slot(link->index)] = DEDUP_MAC_NONE;
	for (int i = first ? 1 : 0; i < own.cnt; i++)
		add_word(list, own.words[i], DEDUP_MACS_MAX);
	list->cut |= own.cut;
}

/* Returns the words in the filter's record for one interface, without index bits. */
static struct own recorded_of(const struct filter *f, uint32_t ifindex)
{
	const __u64 *first = first_compared(f, ifindex);
	const struct dedup_record *r = f->record;
	uint64_t bits = index_bits(f, ifindex);
	struct own own = { .cnt = 0 };

	if (first && *first != DEDUP_MAC_NONE)
		own.words[own.cnt++] = *first;
	for (uint32_t i = 0; r && i < r->macs_cnt && i < DEDUP_MACS_MAX; i++) {
		uint64_t word = r->macs[i];

		if (!f->config->asked.several || (word & 0xffff) == bits)
			own.words[own.cnt++] = word & ~0xffffULL;
	}
	return own;
}

void own_macs_keep(struct filter *f, const struct filter *from)
{
	struct dedup_record *r = f->record;

	r->macs_cnt = 0;
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		uint32_t ifindex = r->ifaces[i].ifindex;
		struct own own = ifindex ? recorded_of(from, ifindex) : (struct own){ .cnt = 0 };
		__u64 *first = ifindex ? first_compared(f, ifindex) : NULL;
		int n = first && own.cnt;

		if (n)
			*first = own.words[0];
		for (; n < own.cnt && r->macs_cnt < DEDUP_MACS_MAX; n++)
			r->macs[r->macs_cnt++] = own.words[n] | index_bits(f, ifindex);
	}
}

int own_macs_set(struct filter *f, const struct links *l)
{
	struct dedup_record *r = f->record;
	/* The next content of the record's list `macs`: all words but those in first_compared(). */
	struct own list = { .cnt = 0 };

	if (f->config->policy.receiver != DEDUP_ONE_INTERFACE)
		r->own_mac = DEDUP_MAC_NONE;
	keep_nonlocal(f, l, &list);
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct dedup_iface *iface = &r->ifaces[i];
		const struct link *link = links_find(l, iface->ifindex);

		if (link && iface_is_local(iface))
			set_interface(f, l, link, &list);
	}
	/* Each word is written at once: a packet during the update at worst misses a MAC, and passes. */
	for (int i = 0; i < list.cnt; i++)
		*(volatile __u64 *)&r->macs[i] = list.words[i];
	*(volatile __u64 *)&r->macs_cnt = list.cnt;
	return list.cut ? -ENOSPC : 0;
}

bool own_macs_agree(const struct filter *f, const struct links *l, uint32_t ifindex)
{
	const struct link *link = links_find(l, ifindex);
	struct own own, recorded;

	if (!link || f->config->policy.forwarded)
		return true;
	own = own_of(f, l, link);
	recorded = recorded_of(f, ifindex);
	if (own.cut || recorded.cnt != own.cnt)
		return false;
	for (int i = 0; i < own.cnt; i++)
		if (!has_word(&recorded, own.words[i] & ~own.index_bits))
			return false;
	return !own.cnt || !first_compared(f, ifindex) || recorded.words[0] == own.words[0];
}
