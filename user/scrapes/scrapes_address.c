// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "scrapes.h"

#ifndef IPV6_FREEBIND
#define IPV6_FREEBIND 78
#endif

#define ADDRESS_DEFAULT "127.0.0.1"
#define ADDRESS_MAX 80
#define WAITING_MAX 4096 /* connections, until the program takes them: so many may come at once */

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

/* Copies the address, without brackets. The port is what is returned; NULL: it is neither. */
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
		return NULL; /* IPv6 without brackets could mean two things */
	}
	if (end <= text || end - text >= ADDRESS_MAX)
		return NULL;
	memcpy(address, text, end - text);
	address[end - text] = '\0';
	if ((colon[-1] == ']') != !!strchr(address, ':'))
		return NULL;
	return colon + 1;
}

int scrapes_address(const char *text, struct scrapes_address *out)
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

bool scrapes_is_local(const struct scrapes_address *a)
{
	const struct sockaddr_in *v4 = (const void *)&a->addr;
	const struct sockaddr_in6 *v6 = (const void *)&a->addr;

	if (a->addr.ss_family == AF_INET)
		return ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

/* Binds, also to an address that no interface has yet, as while a host boots. */
static int bind_to(int fd, const struct scrapes_address *a, bool *is_absent)
{
	const struct sockaddr *addr = (const struct sockaddr *)&a->addr;
	bool is_v4 = a->addr.ss_family == AF_INET;
	int one = 1;

	*is_absent = bind(fd, addr, a->len) != 0;
	if (!*is_absent)
		return 0;
	if (errno != EADDRNOTAVAIL)
		return -errno;
	if (setsockopt(fd, is_v4 ? IPPROTO_IP : IPPROTO_IPV6, is_v4 ? IP_FREEBIND : IPV6_FREEBIND,
		       &one, sizeof(one)) ||
	    bind(fd, addr, a->len))
		return -errno;
	return 0;
}

int scrapes_listen(const struct scrapes_address *a, bool *is_absent)
{
	int fd = socket(a->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;
	int err = fd < 0 ? -errno : 0;

	/* So that a restart need not wait until connections of before are forgotten. */
	if (!err && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)))
		err = -errno;
	if (!err)
		err = bind_to(fd, a, is_absent);
	if (!err && listen(fd, WAITING_MAX))
		err = -errno;
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return err;
}
