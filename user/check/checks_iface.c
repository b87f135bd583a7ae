// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Checks of one interface. */
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "driver.h"
#include "diag.h"
#include "check_context.h"
#include "receivers.h"
#include "text.h"
#include "tunnel_devices.h"
#include "tunnels.h"

#define NAMES_MAX 256

int check_interface(struct check_context *q)
{
	check_found(q, "is there, once");
	return attach_check_named(q->subject->where, q->iface);
}

int check_ethernet(struct check_context *q)
{
	check_found(q, "packets have Ethernet headers");
	return receivers_check_ethernet(q->ifname, q->subject->links);
}

int check_programs(struct check_context *q)
{
	bool share = q->subject->where->share;

	check_found(q, share ? "libxdp may attach the filter beside other programs"
			     : "no XDP program runs there");
	return attach_check_room(q->ifname, q->subject->links, share);
}

static const struct driver *driver_here(const struct check_context *q)
{
	char name[DEVICE_DRIVER_MAX] = "";

	return driver_of(device_driver(q->ifname, name) ? "" : name);
}

/* Notes known limitations of the driver; d->note is about native mode only. */
static void note_driver(const struct check_context *q, bool may_be_native)
{
	const struct driver *d = driver_here(q);

	if (driver_is_fixed(d, q->ifname))
		diag_note("%s: %s is fixed on, with which its driver has no native XDP" ADVICE
			  "the hypervisor must let the machine turn it off (qemu: ctrl_guest_offloads=on)",
			  q->ifname, d->turns_off);
	else if (may_be_native && d->note && d->advice)
		diag_note("%s: %s" ADVICE "%s", q->ifname, d->note, d->advice);
	else if (may_be_native && d->note)
		diag_note("%s: %s", q->ifname, d->note);
}

/* Checks which modes the driver supports. */
int check_driver(struct check_context *q)
{
	enum attach_mode mode = q->subject->where->mode;
	char driver[DEVICE_DRIVER_MAX] = "unknown";
	uint64_t features = 0;
	int err = driver_xdp_features(if_nametoindex(q->ifname), &features);

	if (device_driver(q->ifname, driver))
		snprintf(driver, sizeof(driver), "unknown");
	check_text(q, "driver", driver);
	if (mode == MODE_SKB)
		return check_found(q, "driver %s; skb mode needs no support of the driver", driver);
	note_driver(q, err || features & DEVICE_XDP);
	if (err)
		return check_unknown(
			q,
			"driver %s; whether it has native XDP cannot be told (Linux 6.3 can): load tries",
			driver);
	check_flag(q, "native_xdp", features & DEVICE_XDP);
	check_flag(q, "xdp_frags", features & DEVICE_XDP_FRAGS);
	check_flag(q, "xdp_redirect", features & DEVICE_XDP_REDIRECT);
	check_flag(q, "xdp_zero_copy", features & DEVICE_XDP_ZEROCOPY);
	check_flag(q, "xdp_offload", features & DEVICE_XDP_OFFLOAD);
	check_found(q, "driver %s: native XDP%s%s%s%s", driver,
		    features & DEVICE_XDP_FRAGS ? ", frags" : "",
		    features & DEVICE_XDP_REDIRECT ? ", redirect" : "",
		    features & DEVICE_XDP_ZEROCOPY ? ", zero-copy" : "",
		    features & DEVICE_XDP_OFFLOAD ? ", hardware offload" : "");
	return attach_check_mode(q->ifname, mode, features & DEVICE_XDP,
				 features & DEVICE_XDP_OFFLOAD);
}

/* Checks whether programs on this interface can redirect packets to AF_XDP sockets. */
int check_redirect(struct check_context *q)
{
	enum attach_mode mode = q->subject->where->mode;
	const char *needs;
	uint64_t features;

	if (!q->subject->plan->policy.deliver)
		return check_found(q, "fresh packets go to the stack");
	if (mode == MODE_ANY || mode == MODE_NATIVE) {
		if (driver_xdp_features(if_nametoindex(q->ifname), &features))
			return check_unknown(
				q,
				"whether the driver can have packets go to AF_XDP sockets cannot be told (Linux 6.3 can)");
		needs = driver_here(q)->zerocopy_needs;
		check_found(q, "packets can go to AF_XDP sockets: %s%s%s",
			    features & DEVICE_XDP_ZEROCOPY ? "the driver writes into their memory"
							   : "they are copied",
			    features & DEVICE_XDP_ZEROCOPY && needs ? ", given " : "",
			    features & DEVICE_XDP_ZEROCOPY && needs ? needs : "");
	} else {
		features = 0;
	}
	return attach_check_redirect(q->ifname, mode, features);
}

int check_lro(struct check_context *q)
{
	int on = device_has(q->ifname, DEVICE_MERGES_TCP);

	if (on >= 0)
		check_flag(q, "lro", on);
	check_found(q, on < 0 ? "whether it merges packets in hardware (LRO) cannot be told"
		       : on ? "merges TCP packets in hardware (LRO), which its driver turns off for XDP"
			    : "merges no packets in hardware (LRO)");
	if (on > 0 && !driver_here(q)->drops_lro)
		diag_note("%s merges TCP packets in hardware (LRO), with which drivers refuse native XDP" ADVICE
			  "ethtool -K %s lro off",
			  q->ifname, q->ifname);
	return on < 0 ? CHECK_IS_UNKNOWN : 0;
}

/* One CPU serves a queue, so fewer queues than CPUs limit the packet rate. */
int check_queues(struct check_context *q)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t now, max, wanted;

	if (device_queues(q->ifname, &now, &max))
		return check_unknown(q, "the driver does not say how many RX queues there are");
	check_number(q, "rx_queues", now);
	check_number(q, "rx_queues_max", max);
	check_number(q, "cpus", cpus);
	wanted = max < cpus ? max : cpus;
	check_found(q, "RX queues: %u, of %u that there can be; CPUs: %ld", now, max, cpus);
	if (now < wanted)
		diag_note("%s has %u RX queue%s, and so many of %ld CPUs filter" ADVICE
			  "if they are too few: ethtool -L %s combined %u (or rx %u)",
			  q->ifname, now, now == 1 ? "" : "s", cpus, q->ifname, wanted, wanted);
	return 0;
}

/* Reports an MTU that is too large for a driver without frags: an error if driver.c knows that the
 * driver refuses it, else a note.
 */
static int check_small_mtu(const struct check_context *q, int mtu, int fits)
{
	int most = driver_native_mtu(driver_here(q), if_nametoindex(q->ifname));

	if (q->subject->where->mode == MODE_NATIVE && most && mtu > most)
		return diag_err(-EOPNOTSUPP,
				"%s has an MTU of %d, and its driver native XDP up to %d alone" ADVICE
				"ip link set dev %s mtu %d",
				q->ifname, mtu, most, q->ifname, fits);
	diag_note("%s has an MTU of %d, and its driver native XDP up to %d alone: skb mode may be all that works" ADVICE
		  "ip link set dev %s mtu %d",
		  q->ifname, mtu, fits, q->ifname, fits);
	return 0;
}

/* A packet that does not fit one page takes several buffers ("frags"); not all drivers have them. */
int check_mtu(struct check_context *q)
{
	int fits = driver_one_buffer_mtu(driver_here(q));
	int mtu = device_mtu(q->ifname);
	uint64_t features;
	int unknown = driver_xdp_features(if_nametoindex(q->ifname), &features);
	bool frags = !unknown && features & DEVICE_XDP_FRAGS;
	bool lacks_frags = driver_lacks_frags(driver_here(q), if_nametoindex(q->ifname));

	if (mtu < 0)
		return check_unknown(q, "cannot be told: %s", strerror(-mtu));
	check_number(q, "mtu_bytes", mtu);
	check_number(q, "one_buffer_mtu_bytes", fits);
	if (q->subject->where->mode == MODE_SKB || (mtu <= fits && !lacks_frags))
		return check_found(q, "MTU %d: packets take one buffer", mtu);
	if (mtu <= fits)
		return check_found(
			q,
			"MTU %d: packets take one buffer; above %d, the driver refuses the MTU while the filter runs, or loses packets",
			mtu, fits);
	if (unknown && !lacks_frags)
		return check_unknown(
			q,
			"MTU %d: packets take several buffers (frags), and whether the driver has those in native XDP cannot be told",
			mtu);
	check_found(q, "MTU %d: packets take several buffers (frags), which %s has", mtu,
		    frags ? "the driver" : "skb mode");
	if (lacks_frags && (unknown || features & DEVICE_XDP))
		return check_small_mtu(q, mtu, fits);
	return 0;
}

/* Adds the names of the devices on top of this one, or below it. */
static void add_relatives(const struct links *l, uint32_t index, bool above, char *names)
{
	for (int i = 0; i < l->cnt; i++) {
		uint32_t other = l->list[i].index;

		if (above ? links_is_on(l, other, index) : links_is_on(l, index, other))
			text_append(names, NAMES_MAX, "%s%s", *names ? ", " : "", l->list[i].name);
	}
}

/* Devices on top of the interface get packets after the filter, devices below before it. */
int check_layers(struct check_context *q)
{
	char above[NAMES_MAX] = "", below[NAMES_MAX] = "";
	uint32_t index = if_nametoindex(q->ifname);

	add_relatives(q->subject->links, index, true, above);
	add_relatives(q->subject->links, index, false, below);
	check_found(q,
		    *above ? "on top of it: %s; frames to their MACs count, too"
			   : "nothing is on top of it",
		    above);
	if (*below)
		diag_note("%s is on top of %s, where the filter would run earlier" ADVICE
			  "if all that comes there is for this receiver, load it there",
			  q->ifname, below);
	return 0;
}

int check_merging(struct check_context *q)
{
	check_found(q, "no device below merges packets before the filter sees them");
	return receivers_check_merging(q->ifname, q->subject->where->mode, q->subject->links);
}

/* Tunnel devices: a filter below them sees their packets inside of the tunnels. */

/* Adds the names of the tunnel devices of these kinds that get packets of this interface. */
static void add_devices(const struct links *l, uint32_t index, uint32_t kinds, char *names)
{
	for (int i = 0; i < l->cnt; i++)
		if (tunnel_device_kind(&l->list[i]) & kinds &&
		    tunnel_device_is_on(l, &l->list[i], index))
			text_append(names, NAMES_MAX, "%s%s", *names ? ", " : "", l->list[i].name);
}

/* Notes that the filter would run on a tunnel device. */
static void note_device(const struct check_context *q, const struct link *device, uint32_t opened)
{
	const struct link *lower = links_find(q->subject->links, device->carrier);
	uint32_t kind = tunnel_device_kind(device);

	diag_note("%s is a tunnel device: it gets packets as skbs, and out of their tunnels%s" ADVICE
		  "load the filter on %s, with --tunnels %s: it then drops duplicates earlier",
		  q->ifname, opened & kind ? ", so --tunnels finds only a tunnel inside of them" : "",
		  lower ? lower->name : "the interface by which the tunnels come",
		  tunnel_name((uint32_t)__builtin_ctz(kind)));
}

/* Notes that --outer-to excludes all opened tunnels, because they have no outer IP header. */
static void note_no_address(const struct filter_spec *spec, uint32_t opened)
{
	const uint32_t link = DEDUP_TUNNEL_BIT(mpls) | DEDUP_TUNNEL_BIT(pppoe);

	if (spec->outer_to_cnt && opened & link && !(opened & ~(link | DEDUP_TUNNEL_BIT(vlan))))
		diag_note("with --outer-to no tunnel of these kinds is opened, as no IP header is around MPLS and PPPoE, except MPLS in IP" ADVICE
			  "leave --outer-to out");
}

int check_tunnels(struct check_context *q)
{
	const struct links *l = q->subject->links;
	uint32_t index = if_nametoindex(q->ifname), opened = tunnels_kinds(q->subject->spec);
	const struct link *link = links_find(l, index);
	char behind[NAMES_MAX] = "", others[NAMES_MAX] = "";

	add_devices(l, index, opened, behind);
	add_devices(l, index, ~opened, others);
	check_found(q,
		    *others ? "%s takes packets out of tunnels behind the filter, which sees these tunnels closed; --tunnels would open them"
			    : "no tunnel device takes packets out of tunnels that come there",
		    others);
	if (*behind && q->subject->spec->outer_to_cnt)
		check_found(q, "%s gets tunnels behind the filter, which opens those to --outer-to",
			    behind);
	note_no_address(q->subject->spec, opened);
	if (link && tunnel_device_kind(link))
		note_device(q, link, opened);
	if (*behind && !q->subject->spec->outer_to_cnt)
		diag_note("%s gets tunnels behind the filter, which opens them: of packets that come twice, only the first one gets there" ADVICE
			  "if that is not wanted, name with --outer-to the tunnels that it is to open",
			  behind);
	return 0;
}
