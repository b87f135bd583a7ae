// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The check of tunnel devices: a filter below them sees their packets inside of the tunnels. */
#include <net/if.h>
#include <string.h>

#include "check_context.h"
#include "diag.h"
#include "text.h"
#include "tunnel_devices.h"
#include "tunnels.h"

#define NAMES_MAX 256

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
