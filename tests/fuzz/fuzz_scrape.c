// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Text around metrics, each by the first byte: a scraper's header Accept, where the service
 * listens, and names that become labels.
 */
#include "fuzz.h"

#include <netdb.h>

#include "accept.h"
#include "metrics_out.h"
#include "socket_address.h"

static void try_accept(const char *text)
{
	static const char MORE[] = ",application/openmetrics-text";
	char *longer = malloc(strlen(text) + sizeof(MORE));

	must(longer);
	must(accept_format(text) < METRICS_FORMATS);
	strcpy(longer, text);
	strcat(longer, MORE);
	must(accept_format(longer) == METRICS_OPENMETRICS);
	free(longer);
}

/* What is taken is taken again as it is shown. */
static void try_address(const char *text)
{
	char host[NI_MAXHOST], port[NI_MAXSERV], again[NI_MAXHOST + NI_MAXSERV + 4];
	struct socket_address a = { 0 }, b = { 0 };

	if (socket_address_read(text, &a))
		return;
	must(!getnameinfo((const struct sockaddr *)&a.addr, a.len, host, sizeof(host), port,
			  sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV));
	snprintf(again, sizeof(again), a.addr.ss_family == AF_INET ? "%s:%s" : "[%s]:%s", host, port);
	must(!socket_address_read(again, &b) && a.len == b.len && !memcmp(&a.addr, &b.addr, a.len));
	socket_address_is_local(&a);
}

/* A label stays on its line, and between its quotes. */
static void try_label(const char *text)
{
	struct metrics_out m = { .format = METRICS_OPENMETRICS };
	const char *label, *c;
	char *out = NULL;
	size_t size;

	m.out = open_memstream(&out, &size);
	must(m.out);
	metrics_family(&m, METRICS_GAUGE, "x", "y");
	metrics_gauge(&m, 1, METRICS_LABELS("l", text));
	must(!metrics_end(&m));
	fclose(m.out);
	label = strstr(out, "\nxdp_dedup_x{l=\"");
	must(label);
	for (c = label + 16; *c != '"'; c++) {
		must(*c && *c != '\n');
		if (*c == '\\')
			must(*++c == '\\' || *c == '"' || *c == 'n');
	}
	must(!strcmp(c, "\"} 1\n# EOF\n"));
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = text_of(data + 1, size - 1);
	switch (*data % 3) {
	case 0:
		try_accept(text);
		break;
	case 1:
		try_address(text);
		break;
	default:
		try_label(text);
		break;
	}
	free(text);
	return 0;
}
