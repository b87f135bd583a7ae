// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "receivers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "diag.h"
#include "open_filter.h"
#include "own_macs.h"
#include "stack.h"
#include "text.h"

int receivers_links(struct links *out)
{
	int err = links_read(out);

	return err ? diag_err(err, "cannot list the interfaces: %s", strerror(-err)) : 0;
}

static int merges_udp(const struct link *link, void *arg)
{
	*(const struct link **)arg = link;
	return device_merges_udp(link->name);
}

/* Does a device below this one merge UDP packets (GRO with rx-udp-gro-forwarding or rx-gro-list)
 * before this one sees them? Then the program sees only the first id of them. Returns 1, and *lower
 * is that device; 0; or -errno (logged) if that is unknown.
 */
static int merges_below(const struct links *l, const struct link *upper, const struct link **lower)
{
	int found;

	*lower = NULL; /* for errors before the first device is visited */
	found = links_each_below(l, upper->index, merges_udp, lower);
	if (found < 0)
		diag_err(found, "cannot tell whether %s merges packets before %s sees them: %s",
			 *lower ? (*lower)->name : "a device below", upper->name, strerror(-found));
	return found;
}

int receivers_check_merging(const char *ifname, enum attach_mode mode, const struct links *l)
{
	const struct link *upper = links_find(l, if_nametoindex(ifname)), *lower;
	int merges;

	/* In native and hw mode the program runs before GRO: nothing is merged yet. */
	if (!upper || mode == MODE_NATIVE || mode == MODE_HW)
		return 0;
	merges = merges_below(l, upper, &lower);
	if (merges <= 0)
		return merges;
	return diag_err(
		-EOPNOTSUPP,
		"%s merges UDP packets before %s, on top of it, sees them, and only the first one's id would be looked at" ADVICE
		"load %s instead, or: ethtool -K %s rx-udp-gro-forwarding off rx-gro-list off",
		lower->name, upper->name, lower->name, lower->name);
}

int receivers_check_above(const struct placement *where, const struct links *l)
{
	for (int i = 0; i < where->cnt; i++) {
		const char *ifname = where->ifnames[i];
		const struct link *upper = links_xdp_above(l, if_nametoindex(ifname));

		if (upper)
			return diag_err(
				-EBUSY,
				"%s is on top of %s and runs XDP, so the kernel attaches nothing to %s: first xdp-dedup unload %s, or ip link set dev %s xdp off",
				upper->name, ifname, ifname, upper->name, upper->name);
	}
	return 0;
}

int receivers_check_stacking(const struct placement *where, const struct links *l)
{
	uint32_t indices[DEDUP_IFACES_MAX];
	struct stacked pair;

	for (int i = 0; i < where->cnt; i++)
		indices[i] = if_nametoindex(where->ifnames[i]);
	pair = links_find_stacked(l, indices, where->cnt);
	if (!pair.upper)
		return 0;
	return diag_err(
		-EINVAL,
		"%s is on top of %s: a packet would meet the filter twice, and be dropped the second time" ADVICE
		"load only one of them",
		pair.upper->name, pair.lower->name);
}

int receivers_check_ethernet(const char *ifname, const struct links *l)
{
	const struct link *link = links_find(l, if_nametoindex(ifname));

	if (!link)
		return diag_err(-ENODEV, "%s has just gone", ifname);
	if (!link->is_ethernet)
		return diag_err(-EOPNOTSUPP,
				"packets of %s have no Ethernet header: none would be filtered",
				ifname);
	return 0;
}

/* Returns 1 if this sysctl is not 0; 0 if it is; -errno if that is unknown. */
static int is_on(const char *sysctl)
{
	int value = stack_sysctl(sysctl);

	return value < 0 ? value : value != 0;
}

/* Does this interface forward? Returns what is_on() does. IPv6 has a sysctl for each interface
 * since Linux 6.17; before, only conf/all (see forwards()).
 */
static int link_forwards(const struct link *link, void *arg)
{
	static const char *const NAMES[][2] = { { "ipv4", "forwarding" },
						{ "ipv6", "force_forwarding" } };
	char sysctl[64];
	int on = 0;

	(void)arg;
	for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]) && !on; i++) {
		snprintf(sysctl, sizeof(sysctl), "%s/conf/%s/%s", NAMES[i][0], link->name,
			 NAMES[i][1]);
		on = is_on(sysctl);
		if (on == -ENOENT)
			on = 0;
	}
	return on;
}

/* Does this interface forward, or one on top of it, which may have the host's addresses? Returns
 * what is_on() does.
 */
static int forwards_above(const struct links *l, uint32_t ifindex)
{
	const struct link *link = links_find(l, ifindex);
	int on = link ? link_forwards(link, NULL) : 0;

	return on ? on : links_each_above(l, ifindex, link_forwards, NULL);
}

/* Does this host forward packets that these interfaces receive? Returns what is_on() does. */
static int forwards(const struct placement *where, const struct links *l)
{
	int on = is_on("ipv4/ip_forward"), on6;

	for (int i = 0; i < where->cnt && !on; i++)
		on = forwards_above(l, if_nametoindex(where->ifnames[i]));
	if (on)
		return on;
	on6 = is_on("ipv6/conf/all/forwarding");
	return on6 == -ENOENT ? 0 : on6; /* a kernel without IPv6 */
}

/* Is the MAC the only sign of the receiver of some stream's IP packets? */
static bool goes_by_mac(const struct filter_spec *spec)
{
	if (spec->forwarded)
		return false;
	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		const struct spec_stream *s = &spec->streams[i];

		if (!s->to_cnt && !s->stream.forwarded && s->stream.layer != DEDUP_ETHERNET)
			return true;
	}
	return false;
}

bool receivers_go_by_tags(const struct filter_spec *spec)
{
	for (uint32_t i = 0; i < spec->streams_cnt; i++)
		if (spec->streams[i].stream.layer == DEDUP_ETHERNET)
			return true;
	return spec->vlans_cnt;
}

int receivers_note_tags(const struct filter_spec *spec, const struct placement *where)
{
	if (!receivers_go_by_tags(spec))
		return 0;
	for (int i = 0; i < where->cnt; i++) {
		if (device_has(where->ifnames[i], DEVICE_FILTERS_VLANS) != 1)
			continue;
		diag_note("%s discards frames of VLANs for which there is no device on top of it" ADVICE
			  "for the filter to see them: ethtool -K %s rx-vlan-filter off",
			  where->ifnames[i], where->ifnames[i]);
		break;
	}
	for (int i = 0; i < where->cnt; i++) {
		if (!device_has(where->ifnames[i], DEVICE_STRIPS_TAGS))
			continue;
		diag_note("%s may take VLAN tags off before the filter sees them, and frames of different VLANs then look alike" ADVICE
			  "where there are any: ethtool -K %s rxvlan off",
			  where->ifnames[i], where->ifnames[i]);
		break;
	}
	return 1;
}

void receivers_note_ports(const struct filter_spec *spec)
{
	bool several = false;

	for (const struct spec_stream *s = spec->streams; s < spec->streams + spec->streams_cnt; s++)
		several |= s->ports_cnt > 1 || (s->ports_cnt && s->ports->hi > s->ports->lo);
	if (several)
		diag_note("several ports are taken for one receiver's: an event that came to one of them is dropped on the others");
}

int receivers_note_forwarding(const struct filter_spec *spec, const struct placement *where,
			      const struct links *l)
{
	int forwarding;

	if (!goes_by_mac(spec))
		return 0;
	forwarding = forwards(where, l);
	if (forwarding > 0)
		diag_note("this host forwards packets: those for others behind it count as its own" ADVICE
			  "--to ADDRESS[/LEN],... says which are this receiver's");
	else if (forwarding < 0)
		diag_note("cannot tell whether this host forwards packets (%s)" ADVICE
			  "if so, --to ADDRESS[/LEN],... says which are this receiver's",
			  strerror(-forwarding));
	return forwarding < 0 ? forwarding : 1;
}

void receivers_refresh(struct filter *f, const struct links *l)
{
	if (own_macs_set(f, l))
		diag_note("%s cannot know all MACs of devices on top of its interfaces: frames to those beyond %d pass as ignored",
			  filter_shown_name(f), DEDUP_MACS_MAX);
}

static void show_name(const struct link *link, char name[IF_NAMESIZE])
{
	memcpy(name, link->name, IF_NAMESIZE);
	text_clean(name);
}

static struct receivers_pair show_pair(const struct link *upper, const struct link *lower)
{
	struct receivers_pair pair = { 0 };

	show_name(upper, pair.upper);
	show_name(lower, pair.lower);
	return pair;
}

int receivers_faults(const struct filter *f, const struct links *l, const struct attachments *at,
		     struct receivers_faults *out)
{
	uint32_t indices[DEDUP_IFACES_MAX];
	struct stacked stacked;
	int cnt = 0;

	*out = (struct receivers_faults){ 0 };
	for (int i = 0; i < at->cnt; i++) {
		const struct link *link = links_find(l, at->list[i].ifindex), *lower;
		int merges;

		if (!attachment_runs_here(&at->list[i]) || !link) /* it was removed meanwhile */
			continue;
		indices[cnt++] = link->index;
		if (!own_macs_agree(f, l, link->index))
			show_name(link, out->stale[out->stale_cnt++]);
		if (at->list[i].mode != MODE_SKB)
			continue;
		merges = merges_below(l, link, &lower);
		if (merges < 0)
			return merges;
		if (merges)
			out->merging = show_pair(link, lower);
	}
	stacked = links_find_stacked(l, indices, cnt);
	if (stacked.upper)
		out->stacked = show_pair(stacked.upper, stacked.lower);
	return 0;
}
