// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Text around metrics, each by the first byte: where a program listens, and names that become
 * labels.
 */
#include "fuzz.h"

#include <netdb.h>

#include "metrics_out.h"
#include "socket_address.h"

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
}

/* A label stays on its line, and between its quotes. */
static void try_label(const char *text)
{
	struct metrics_out m = { 0 };
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
	must(!strcmp(c, "\"} 1\n"));
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = text_of(data + 1, size - 1);
	if (*data % 2)
		try_address(text);
	else
		try_label(text);
	free(text);
	return 0;
}
