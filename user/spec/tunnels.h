/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which tunnels are opened: in text, in a spec, and in a configuration. Pure. */
#pragma once

#include <stdint.h>

#include "config.h"

#define TUNNELS_TEXT_MAX 176
#define TUNNELS_EXPECTS                                                                                        \
	"none, all, or some of vlan, mpls, pppoe, ipip, gre, erspan, vxlan, geneve, gtp, tzsp and erm, as in " \
	"erspan,vxlan:4789,8472"
#define TUNNELS_CLASH "two kinds of tunnels have UDP port %d: give one of them another port"

/* Parses "none", or kinds, with UDP ports that are not the usual ones: "all",
 * "erspan,vxlan:4789,8472", "all,vxlan:8472". Returns 0; or, without writing anything, -EINVAL
 * (wrong form), -E2BIG (more than DEDUP_TUNNEL_PORTS_MAX ports), or the UDP port that two kinds
 * have (TUNNELS_CLASH).
 */
int parse_tunnels(const char *text, struct dedup_tunnels *out);

/* Returns the name of an enum dedup_tunnel. */
const char *tunnel_name(uint32_t kind);

/* Writes the kinds as parse_tunnels() takes them, with the ports that *t has for them. Returns buf. */
const char *format_tunnels(const struct dedup_tunnels *t, uint32_t kinds, char buf[TUNNELS_TEXT_MAX]);

/* Returns the text in a buffer that lives until the end of the enclosing block. */
#define FORMAT_TUNNELS(t, kinds) format_tunnels(t, kinds, (char[TUNNELS_TEXT_MAX]){ 0 })

/* Returns the tunnels of `of` whose kinds are in `kinds`, with their ports. */
struct dedup_tunnels tunnels_choose(const struct dedup_tunnels *of, uint32_t kinds);

/* Returns NULL if these tunnels are possible; else a sentence. says: STREAMS_SAYS_MAX bytes. */
const char *tunnels_refusal(const struct filter_spec *spec, char *says);

/* Fills in c->tunnels and policy.opens, and the destinations of --outer-to after those of the
 * streams, which are set. tunnels_refusal() must have accepted c->asked.
 */
void tunnels_plan(struct dedup_config *c);

/* Returns the kinds that any stream opens: DEDUP_TUNNEL_BITs. */
uint32_t tunnels_kinds(const struct filter_spec *spec);

/* Returns whether the values that are used as sizes and indices are in their ranges. */
bool tunnels_sound(const struct dedup_tunnels *t);
