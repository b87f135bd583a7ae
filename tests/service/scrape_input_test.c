// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What comes from outside where metrics are scraped: the header Accept, and the configuration's
 * [ADDRESS:]PORT.
 */
#include "support.h"

#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "accept.h"
#include "socket_address.h"

static const struct accepted {
	const char *name, *header;
	enum metrics_format format;
} ACCEPTED[] = {
	{ "no-header", NULL, METRICS_TEXT },
	{ "empty", "", METRICS_TEXT },
	{ "anything", "*/*", METRICS_TEXT },
	{ "browser", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", METRICS_TEXT },
	{ "prometheus-2.42",
	  "application/openmetrics-text;version=1.0.0,application/"
	  "openmetrics-text;version=0.0.1;q=0.75,"
	  "text/plain;version=0.0.4;q=0.5,*/*;q=0.1",
	  METRICS_OPENMETRICS },
	{ "prometheus-without-openmetrics", "text/plain;version=0.0.4;q=0.5,*/*;q=0.1", METRICS_TEXT },
	{ "openmetrics", "application/openmetrics-text", METRICS_OPENMETRICS },
	{ "openmetrics-in-capitals", "Application/OpenMetrics-Text; Version=1.0.0",
	  METRICS_OPENMETRICS },
	{ "blanks", " application/openmetrics-text ; version=1.0.0 ; q=0.2 ,\ttext/plain ; q=0.1 ",
	  METRICS_OPENMETRICS },
	{ "only-older-openmetrics", "application/openmetrics-text;version=0.0.1", METRICS_TEXT },
	{ "text-preferred", "application/openmetrics-text;q=0.4,text/plain;q=0.5", METRICS_TEXT },
	{ "as-good-as-text", "text/plain;q=0.5,application/openmetrics-text;q=0.5",
	  METRICS_OPENMETRICS },
	{ "not-acceptable", "application/openmetrics-text;q=0", METRICS_TEXT },
	{ "not-acceptable-000", "application/openmetrics-text;q=0.000", METRICS_TEXT },
	{ "least-weight", "application/openmetrics-text;q=0.001", METRICS_OPENMETRICS },
	{ "no-weight", "application/openmetrics-text;q=", METRICS_TEXT },
	{ "weight-above-1", "application/openmetrics-text;q=1.001", METRICS_TEXT },
	{ "weight-of-letters", "application/openmetrics-text;q=0.x", METRICS_TEXT },
	{ "weight-too-long", "application/openmetrics-text;q=0.0001", METRICS_TEXT },
	{ "other-parameters", "application/openmetrics-text;escaping=underscores;x;;=;q=1",
	  METRICS_OPENMETRICS },
	{ "longer-type", "application/openmetrics-textual", METRICS_TEXT },
	{ "commas", ",,;,;;,application/openmetrics-text", METRICS_OPENMETRICS },
};

static void format_is_chosen(void **state)
{
	const struct accepted *row = *state;

	assert_int_equal(accept_format(row->header), row->format);
}

/* Any text at all: ASan looks. */
static void any_header(void **state)
{
	static const char *const PARTS[] = { "application/openmetrics-text",
					     ";",
					     ",",
					     "q=",
					     "0.5",
					     "=",
					     " ",
					     "version=1.0.0",
					     "\t",
					     "*/*",
					     "q",
					     "\xff" };
	uint64_t seed = environment_number("SEED", 1);

	(void)state;
	for (int i = 0; i < 20000; i++) {
		char text[256] = "";
		int parts = (int)(random_next(&seed) % 8);

		for (int n = 0; n < parts; n++)
			strcat(text, PARTS[random_next(&seed) % ARRAY_SIZE(PARTS)]);
		assert_true(accept_format(text) < METRICS_FORMATS);
	}
}

static const struct address {
	const char *name, *text;
	const char *is; /* "HOST PORT"; NULL: refused */
	bool is_local;
} ADDRESSES[] = {
	{ "port", "9947", "127.0.0.1 9947", true },
	{ "ipv4", "192.0.2.1:80", "192.0.2.1 80", false },
	{ "loopback", "127.9.9.9:1", "127.9.9.9 1", true },
	{ "any", "0.0.0.0:65535", "0.0.0.0 65535", false },
	{ "ipv6", "[::1]:9947", "::1 9947", true },
	{ "ipv6-any", "[::]:9947", ":: 9947", false },
	{ "port-0", "0", NULL, false },
	{ "port-65536", "65536", NULL, false },
	{ "port-huge", "99999999999999999999", NULL, false },
	{ "no-port", "127.0.0.1:", NULL, false },
	{ "nothing", "", NULL, false },
	{ "no-address", ":9947", NULL, false },
	{ "address-alone", "127.0.0.1", NULL, false },
	{ "a-name", "localhost:9947", NULL, false },
	{ "port-by-name", "127.0.0.1:http", NULL, false },
	{ "port-with-sign", "+80", NULL, false },
	{ "port-with-blank", " 80", NULL, false },
	{ "ipv6-without-brackets", "::1:9947", NULL, false },
	{ "ipv6-alone", "[::1]", NULL, false },
	{ "ipv6-open", "[::1:9947", NULL, false },
	{ "ipv4-in-brackets", "[127.0.0.1]:80", NULL, false },
	{ "empty-brackets", "[]:80", NULL, false },
	{ "too-long",
	  "111111111111111111111111111111111111111111111111111111111111111111111111111111111.1.1.1:80",
	  NULL, false },
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
	assert_int_equal(socket_address_is_local(&a), row->is_local);
}

int main(void)
{
	add_rows(ACCEPTED, format_is_chosen, NULL, NULL);
	add_test("any_header", any_header, NULL, NULL, NULL);
	add_rows(ADDRESSES, address_is_read, NULL, NULL);
	return run_added_any_tests("scrape_input");
}
