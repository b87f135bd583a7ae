// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "listen_addresses.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "socket_address.h"

#define BETWEEN ", "
#define ADDRESS_ROOM 96

/* IPv4 as ::ffff:a.b.c.d. */
struct address {
	struct in6_addr in;
	uint16_t port;
	bool is_any_ipv4, is_any; /* all addresses of IPv4; all addresses of both families */
};

static bool read_address(const char *text, struct address *out)
{
	struct socket_address read;
	const struct sockaddr_in *four = (const void *)&read.addr;
	const struct sockaddr_in6 *six = (const void *)&read.addr;

	if (socket_address_read(text, &read))
		return false;
	*out = (struct address){ .port = four->sin_port, .is_any = !strchr(text, ':') };
	if (read.addr.ss_family == AF_INET6) {
		out->in = six->sin6_addr;
		out->is_any |= IN6_IS_ADDR_UNSPECIFIED(&out->in);
		return true;
	}
	out->in = (struct in6_addr){ .s6_addr = { [10] = 0xff, [11] = 0xff } };
	memcpy(out->in.s6_addr + 12, &four->sin_addr, 4);
	out->is_any_ipv4 = four->sin_addr.s_addr == INADDR_ANY;
	return true;
}

static bool covers(const struct address *a, const struct address *b)
{
	return a->is_any || (a->is_any_ipv4 && IN6_IS_ADDR_V4MAPPED(&b->in)) ||
	       !memcmp(&a->in, &b->in, sizeof(a->in));
}

static const char *add_address(const char *text, struct address *all, int cnt)
{
	if (cnt == LISTEN_ADDRESSES_MAX)
		return "give at most 64 addresses";
	if (!read_address(text, &all[cnt]))
		return "give ports, or addresses and ports, as in 8001,192.0.2.1:8002,[2001:db8::1]:8003";
	for (int i = 0; i < cnt; i++)
		if (all[i].port == all[cnt].port &&
		    (covers(&all[i], &all[cnt]) || covers(&all[cnt], &all[i])))
			return "give each port of an address once; a port without an address is of all addresses";
	return NULL;
}

const char *listen_addresses_wrong(const char *text)
{
	struct address all[LISTEN_ADDRESSES_MAX];
	const char *wrong = NULL;
	int cnt = 0;

	while (*(text += strspn(text, BETWEEN)) && !wrong) {
		size_t len = strcspn(text, BETWEEN);
		char one[ADDRESS_ROOM];

		snprintf(one, sizeof(one), "%.*s", (int)len, text);
		wrong = add_address(len < sizeof(one) ? one : "", all, cnt++);
		text += len;
	}
	return wrong || cnt ? wrong : "give at least one port";
}
