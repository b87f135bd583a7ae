// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Shows the tunnels of a survey. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>

#include "replay_print.h"
#include "text.h"
#include "tunnels.h"

#define ADDRESSES_TEXT_MAX 256

static bool has_frames(const struct survey_tunnel *t)
{
	return t->packets || t->truncated || t->bad;
}

static const char *address_text(const struct survey_tunnel *t, uint32_t i,
				char text[INET6_ADDRSTRLEN])
{
	return inet_ntop(t->ipv4[i] ? AF_INET : AF_INET6, t->addresses[i], text, INET6_ADDRSTRLEN);
}

/* Writes the addresses, as in " to 192.0.2.7 and others"; "" without addresses. Returns text. */
static const char *addresses_text(const struct survey_tunnel *t, char text[ADDRESSES_TEXT_MAX])
{
	char address[INET6_ADDRSTRLEN];

	*text = 0;
	for (uint32_t i = 0; i < t->addresses_cnt; i++)
		text_append(text, ADDRESSES_TEXT_MAX, "%s%s", i ? ", " : " to ",
			    address_text(t, i, address));
	if (t->more_addresses)
		text_append(text, ADDRESSES_TEXT_MAX, " and others");
	return text;
}

static void print_tunnel(const char *name, const struct survey_tunnel *t)
{
	static const char *const INSIDE[] = { "UDP", "TCP", "other IP", "that are not IP" };
	const char *before = ": ";
	char to[ADDRESSES_TEXT_MAX];

	printf("  in %s: %" PRIu64 " packets%s", name, t->packets, addresses_text(t, to));
	for (int i = 0; i <= SURVEY_ETHERNET; i++) {
		if (!t->inside[i])
			continue;
		printf("%s%" PRIu64 " %s", before, t->inside[i], INSIDE[i]);
		before = ", ";
	}
	puts("");
	if (t->truncated)
		printf("    %" PRIu64 " more are cut, and pass (truncated)\n", t->truncated);
	if (t->bad)
		printf("    %" PRIu64 " more are malformed, and pass (bad_tunnel)\n", t->bad);
}

void survey_print_tunnels(const struct survey_result *r)
{
	for (uint32_t i = 0; i < DEDUP_TUNNELS_CNT; i++)
		if (has_frames(&r->tunnels[i]))
			print_tunnel(tunnel_name(i), &r->tunnels[i]);
}

void survey_print_tunnels_note(const struct survey_result *r)
{
	uint32_t kinds = r->filter.spec.tunnels.kinds;
	char address[INET6_ADDRSTRLEN] = "";

	if (!kinds)
		return;
	for (uint32_t i = 0; i < DEDUP_TUNNELS_CNT && !*address; i++)
		if (kinds >> i & 1 && r->tunnels[i].addresses_cnt)
			address_text(&r->tunnels[i], 0, address);
	puts("Copies came in tunnels: with --tunnels the filter compares the packets inside of them.");
	if (*address)
		printf("If other tunnels come there, too, name those that it is to open by their destination,\n"
		       "as in --outer-to %s\n",
		       address);
}

static json_object *json_addresses(const struct survey_tunnel *t)
{
	char text[INET6_ADDRSTRLEN];

	return JSON_LIST(i, t->addresses_cnt, address_text(t, i, text));
}

static json_object *json_inside(const struct survey_tunnel *t)
{
	json_object *o = json_object_new_object();

	ADD("udp", json_u64(t->inside[SURVEY_UDP]));
	ADD("tcp", json_u64(t->inside[SURVEY_TCP]));
	ADD("ip", json_u64(t->inside[SURVEY_IP]));
	ADD("ethernet", json_u64(t->inside[SURVEY_ETHERNET]));
	return o;
}

static json_object *json_tunnel(const char *name, const struct survey_tunnel *t)
{
	json_object *o = json_object_new_object();

	ADD("name", json_text(name));
	ADD("packets", json_u64(t->packets));
	ADD("bytes", json_u64(t->bytes));
	ADD("inside", json_inside(t));
	ADD("truncated", json_u64(t->truncated));
	ADD("bad_tunnel", json_u64(t->bad));
	ADD("addresses", json_addresses(t));
	ADD("more_addresses", json_bool(t->more_addresses));
	return o;
}

json_object *survey_json_tunnels(const struct survey_result *r)
{
	json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < DEDUP_TUNNELS_CNT; i++)
		if (has_frames(&r->tunnels[i]))
			json_object_array_add(list, json_tunnel(tunnel_name(i), &r->tunnels[i]));
	return list;
}
