// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "iface_link.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "kernel.h"
#include "pins.h"

#define PREFIX "link-"
#define DOT "%2e" /* a pin's name has no dot */

const char *iface_link_path(char path[PIN_PATH_MAX], const char *directory, const char *ifname)
{
	char pin[sizeof(PREFIX) + 3 * IF_NAMESIZE] = PREFIX;
	size_t len = strlen(pin);

	for (; *ifname && len < sizeof(pin) - sizeof(DOT); ifname++) {
		bool is_plain = *ifname != '.' && *ifname != '%';

		len += snprintf(pin + len, sizeof(pin) - len, is_plain ? "%c" : "%%%02x", *ifname);
	}
	return pin_path(path, directory, pin);
}

/* Reads the interface's name from that of a pin. Returns 0, or -EINVAL. */
static int parse_pin(const char *pin, char ifname[IF_NAMESIZE])
{
	size_t len = 0;
	char hex[3] = "";

	if (strncmp(pin, PREFIX, strlen(PREFIX)) != 0)
		return -EINVAL;
	for (pin += strlen(PREFIX); *pin; pin++) {
		if (len == IF_NAMESIZE - 1)
			return -EINVAL;
		if (*pin == '%' && pin[1] && pin[2]) {
			memcpy(hex, pin + 1, 2);
			ifname[len++] = (char)strtol(hex, NULL, 16);
			pin += 2;
		} else {
			ifname[len++] = *pin;
		}
	}
	ifname[len] = '\0';
	return len ? 0 : -EINVAL;
}

int iface_link_pin(int fd, const char *directory, const char *ifname)
{
	return bpf_obj_pin(fd, IFACE_LINK_PATH(directory, ifname));
}

int iface_link_open(const char *directory, const char *ifname)
{
	return bpf_obj_get(IFACE_LINK_PATH(directory, ifname));
}

int iface_link_info(int fd, struct iface_link *out)
{
	struct bpf_link_info info = { 0 };
	int err = kernel_info(fd, &info, sizeof(info));

	if (err)
		return err;
	if (info.type != BPF_LINK_TYPE_XDP)
		return -EINVAL;
	out->id = info.id;
	out->prog_id = info.prog_id;
	out->ifindex = info.xdp.ifindex;
	return 0;
}

int iface_link_update(int fd, int prog_fd)
{
	return bpf_link_update(fd, prog_fd, NULL) && errno != ENOLINK ? -errno : 0;
}

int iface_link_unpin(const char *directory, const char *ifname)
{
	return unlink(IFACE_LINK_PATH(directory, ifname)) && errno != ENOENT ? -errno : 0;
}

/* Reads the link of this name. Returns 1; 0 if its pin has been removed meanwhile; or -errno. */
static int read_one(const char *directory, struct iface_link *out)
{
	int fd = iface_link_open(directory, out->ifname), err;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	err = iface_link_info(fd, out);
	close(fd);
	return err ?: 1;
}

int iface_links_read(const char *directory, struct iface_link out[DEDUP_IFACES_MAX])
{
	DIR *dir = opendir(PIN_PATH(directory, NULL));
	struct dirent *entry;
	int cnt = 0, more;

	if (!dir)
		return errno == ENOENT ? 0 : -errno;
	while ((more = dir_next(dir, &entry)) > 0 && cnt < DEDUP_IFACES_MAX) {
		if (parse_pin(entry->d_name, out[cnt].ifname))
			continue;
		more = read_one(directory, &out[cnt]);
		if (more < 0)
			break;
		cnt += more;
	}
	closedir(dir);
	return more < 0 ? more : cnt;
}
