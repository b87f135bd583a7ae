// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cut.h"

#include <dirent.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

static int option(int fd, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return getsockopt(fd, SOL_SOCKET, name, &value, &len) ? -1 : value;
}

static bool is_connection(int fd)
{
	return option(fd, SO_PROTOCOL) == IPPROTO_TCP && !option(fd, SO_ACCEPTCONN);
}

void cut_connections(void)
{
	DIR *all = opendir("/proc/self/fd");

	if (!all)
		return;
	for (const struct dirent *e; (e = readdir(all));)
		if (*e->d_name != '.' && is_connection(atoi(e->d_name)))
			shutdown(atoi(e->d_name), SHUT_RDWR);
	closedir(all);
}
