/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The bpf_link that attaches a filter's program to one interface. It is pinned in the filter's
 * directory as link-IFNAME, by the name that the interface had when the program was attached. The
 * link follows its interface into other network namespaces and through renames. Its program can be
 * exchanged from any network namespace. The kernel frees the link when its last pin is removed.
 * During a change both NAME and +NAME have pins of the links that stay.
 *
 * Nothing here logs. `directory`: NAME or +NAME.
 */
#pragma once

#include <linux/if_link.h>
#include <net/if.h>
#include <stdint.h>

#include "config.h"
#include "pins.h"

struct iface_link {
	char ifname[IF_NAMESIZE]; /* the name in its pin */
	uint32_t id, prog_id;
	uint32_t ifindex; /* in the interface's network namespace. 0: the interface was removed, or
			   * another program has detached the link
			   */
};

/* Pins a link. Returns 0; -EEXIST if there is a pin of this name; or another -errno. */
int iface_link_pin(int fd, const char *directory, const char *ifname);

/* Opens the pinned link. Returns its descriptor, which the caller closes; or -errno: -ENOENT. */
int iface_link_open(const char *directory, const char *ifname);

/* Reads the state of an open link from the kernel, except out->ifname. Returns 0, or -errno. */
int iface_link_info(int fd, struct iface_link *out);

/* Exchanges the program, from any network namespace. Every packet meets the old program or the new
 * one. Returns 0, also if the link already has this program or has no interface; or -errno.
 */
int iface_link_update(int fd, int prog_fd);

/* Removes a pin, if it exists. If it was the link's last one, the kernel detaches the program a
 * little later. Returns 0, or -errno.
 */
int iface_link_unpin(const char *directory, const char *ifname);

/* Reads all links that are pinned in a directory. Returns how many there are, at most
 * DEDUP_IFACES_MAX; 0 if there is no such directory; or -errno.
 */
int iface_links_read(const char *directory, struct iface_link out[DEDUP_IFACES_MAX]);

/* Returns the path of the pin, as PIN_PATH() does. */
const char *iface_link_path(char path[PIN_PATH_MAX], const char *directory, const char *ifname);
#define IFACE_LINK_PATH(directory, ifname) \
	iface_link_path((char[PIN_PATH_MAX]){ 0 }, directory, ifname)
