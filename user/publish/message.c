// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "message.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <time.h>

#include "endpoints.h"
#include "server_options.h"

#define NS_PER_S 1000000000
#define TIME_MAX 48

static void write_time(uint64_t ns, char out[TIME_MAX])
{
	static char text[TIME_MAX]; /* of this second */
	static time_t second;
	time_t now = ns / NS_PER_S;
	struct tm tm;

	if (now != second)
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", gmtime_r(&now, &tm));
	second = now;
	snprintf(out, TIME_MAX, "%.32s.%09uZ", text, (unsigned int)(ns % NS_PER_S));
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

natsMsg *message_make(const struct publish_streams *s, const struct intake_event *e,
		      const char *reply, const char **ret_why)
{
	const struct publish_options *o = s->options;
	const struct message_event of = { &e->id, e->payload, e->len };
	char subject[SUBJECT_MAX], id[MESSAGE_ID_MAX], source[ENDPOINT_TEXT_MAX], arrival[TIME_MAX];
	const struct {
		const char *name, *value;
	} headers[] = {
		{ HEADER_ID, id },
		{ HEADER_STREAM, e->stream->is.name },
		{ HEADER_SOURCE, source },
		{ HEADER_ARRIVAL, arrival },
		{ HEADER_MACHINE, o->machine },
	};
	natsMsg *m = NULL;
	natsStatus err;

	if (message_id_write(&e->stream->is, e->stream->realm, &s->secret, &of, id)) {
		*ret_why = "libcrypto cannot hash its id";
		return NULL;
	}
	subject_write(o->subject,
		      &(struct subject_names){ e->stream->is.name, o->machine,
					       subject_shard(id, o->shards) },
		      subject);
	write_source(e, source);
	write_time(e->arrival_ns, arrival);
	err = natsMsg_Create(&m, subject, reply, e->payload, e->len);
	for (size_t i = 0; i < sizeof(headers) / sizeof(*headers) && !err; i++)
		err = natsMsgHeader_Set(m, headers[i].name, headers[i].value);
	if (!err)
		return m;
	natsMsg_Destroy(m);
	*ret_why = server_error_text(err);
	return NULL;
}
