// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "socket_address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ADDRESS_DEFAULT "127.0.0.1"
#define ADDRESS_MAX 80

static bool is_port(const char *text)
{
	unsigned int port = 0;

	for (const char *t = text; *t; t++) {
		if (*t < '0' || *t > '9' || port > UINT16_MAX)
			return false;
		port = 10 * port + (*t - '0');
	}
	return port && port <= UINT16_MAX;
}

/* Copies the address, without brackets. Returns the text of the port; NULL if the form is wrong. */
static const char *split_address(const char *text, char address[ADDRESS_MAX])
{
	const char *colon = strrchr(text, ':'), *end = colon;

	strcpy(address, ADDRESS_DEFAULT);
	if (!colon)
		return text;
	if (*text == '[') {
		if (end == text || *--end != ']')
			return NULL;
		text++;
	} else if (memchr(text, ':', colon - text)) {
		return NULL; /* IPv6 without brackets is ambiguous */
	}
	if (end <= text || end - text >= ADDRESS_MAX)
		return NULL;
	memcpy(address, text, end - text);
	address[end - text] = '\0';
	if ((colon[-1] == ']') != !!strchr(address, ':'))
		return NULL;
	return colon + 1;
}

int socket_address_read(const char *text, struct socket_address *out)
{
	const struct addrinfo hints = { .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
					.ai_socktype = SOCK_STREAM };
	char address[ADDRESS_MAX];
	const char *port = split_address(text, address);
	struct addrinfo *found;

	if (!port || !is_port(port) || getaddrinfo(address, port, &hints, &found))
		return -EINVAL;
	memcpy(&out->addr, found->ai_addr, found->ai_addrlen);
	out->len = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}
