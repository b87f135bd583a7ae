// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "envelope.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* RFC 3339, in UTC, with nanoseconds. */
static void write_time(uint64_t ns, char out[ENVELOPE_TIME_MAX])
{
	time_t seconds = ns / 1000000000;
	struct tm tm;
	size_t len;

	gmtime_r(&seconds, &tm);
	len = strftime(out, ENVELOPE_TIME_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out + len, ENVELOPE_TIME_MAX - len, ".%09uZ", (unsigned int)(ns % 1000000000));
}

static void write_source(const struct intake_event *e, char out[ENDPOINT_TEXT_MAX])
{
	const struct sockaddr_in6 *six = &e->from.ipv6;
	struct endpoint source = { .port = ntohs(six->sin6_port) }; /* sin_port has this offset, too */

	if (e->from.any.sa_family == AF_INET)
		inet_ntop(AF_INET, &e->from.ipv4.sin_addr, source.address, sizeof(source.address));
	else if (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
		inet_ntop(AF_INET, six->sin6_addr.s6_addr + 12, source.address,
			  sizeof(source.address));
	else
		inet_ntop(AF_INET6, &six->sin6_addr, source.address, sizeof(source.address));
	format_endpoint(&source, out);
}

int envelope_write(const struct publish_streams *s, const struct intake_event *e, struct envelope *out)
{
	const struct message_event of = { &e->id, e->payload, e->len };
	const struct server_header headers[ENVELOPE_HEADERS_MAX] = {
		{ HEADER_ID, out->id },
		{ HEADER_STREAM, e->stream->is.name },
		{ HEADER_SOURCE, out->source },
		{ HEADER_ARRIVAL, out->arrival },
		{ HEADER_MACHINE, s->options->machine },
		{ 0 },
	};

	memcpy(out->headers, headers, sizeof(headers));
	write_source(e, out->source);
	write_time(e->arrival_ns, out->arrival);
	return message_id_write(&e->stream->is, e->stream->realm, &s->secret, &of, out->id);
}
