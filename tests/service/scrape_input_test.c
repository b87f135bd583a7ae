// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What comes from outside where metrics are scraped: [ADDRESS:]PORT. */
#include "support.h"

#include <netdb.h>

#include "socket_address.h"

static const struct address {
	const char *name, *text;
	const char *is; /* "HOST PORT"; NULL: refused */
} ADDRESSES[] = {
	{ "port", "9947", "127.0.0.1 9947" },
	{ "ipv4", "192.0.2.1:80", "192.0.2.1 80" },
	{ "loopback", "127.9.9.9:1", "127.9.9.9 1" },
	{ "any", "0.0.0.0:65535", "0.0.0.0 65535" },
	{ "ipv6", "[::1]:9947", "::1 9947" },
	{ "ipv6-any", "[::]:9947", ":: 9947" },
	{ "port-0", "0", NULL },
	{ "port-65536", "65536", NULL },
	{ "port-huge", "99999999999999999999", NULL },
	{ "no-port", "127.0.0.1:", NULL },
	{ "nothing", "", NULL },
	{ "no-address", ":9947", NULL },
	{ "address-alone", "127.0.0.1", NULL },
	{ "a-name", "localhost:9947", NULL },
	{ "port-by-name", "127.0.0.1:http", NULL },
	{ "port-with-sign", "+80", NULL },
	{ "port-with-blank", " 80", NULL },
	{ "ipv6-without-brackets", "::1:9947", NULL },
	{ "ipv6-alone", "[::1]", NULL },
	{ "ipv6-open", "[::1:9947", NULL },
	{ "ipv4-in-brackets", "[127.0.0.1]:80", NULL },
	{ "empty-brackets", "[]:80", NULL },
	{ "too-long",
	  "111111111111111111111111111111111111111111111111111111111111111111111111111111111.1.1.1:80",
	  NULL },
};

static void address_is_read(void **state)
{
	const struct address *row = *state;
	char host[NI_MAXHOST], port[NI_MAXSERV], is[NI_MAXHOST + NI_MAXSERV + 1];
	struct socket_address a;
	int err = socket_address_read(row->text, &a);

	if (!row->is) {
		assert_int_equal(err, -EINVAL);
		return;
	}
	assert_int_equal(err, 0);
	assert_int_equal(getnameinfo((const struct sockaddr *)&a.addr, a.len, host, sizeof(host),
				     port, sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV),
			 0);
	snprintf(is, sizeof(is), "%s %s", host, port);
	assert_string_equal(is, row->is);
}

int main(void)
{
	add_rows(ADDRESSES, address_is_read, NULL, NULL);
	return run_added_any_tests("scrape_input");
}
