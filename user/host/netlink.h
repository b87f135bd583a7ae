/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One request to the kernel by netlink, through libmnl. Logs nothing. */
#pragma once

#include <libmnl/libmnl.h>

/* Sends the request by a new socket, calls each() with every message of the answer that carries
 * data, and closes the socket. each() returns MNL_CB_OK, or MNL_CB_ERROR with errno set, which ends
 * the call; it may be NULL. The request must be for a dump, or demand an acknowledgement, as that
 * ends the answer. Returns 0; -errno of the kernel or of each(); -EAGAIN if the dumped objects
 * changed meanwhile, so that parts of the answer may contradict each other.
 */
int netlink_query(int protocol, const struct nlmsghdr *request, mnl_cb_t each, void *arg);

/* A request with few attributes. */
union netlink_request {
	struct nlmsghdr header;
	char bytes[256];
};

/* Begins a request of this type. `answer`: NLM_F_DUMP, or NLM_F_ACK for an acknowledgement. Returns
 * the header of so many bytes that follows netlink's, zeroed. The caller fills it in, and adds its
 * attributes.
 */
void *netlink_begin(union netlink_request *q, uint16_t type, uint16_t answer, size_t header);

/* Begins a request to a family of generic netlink, with NLM_F_ACK. */
void netlink_begin_generic(union netlink_request *q, uint16_t family, uint8_t command);

/* Returns the number of this family of generic netlink; -ENOENT if the kernel lacks it; another
 * -errno.
 */
int netlink_family(const char *name);

/* Point by_type[T] at the attribute of type T, for types 0 to `max`, behind `header` bytes of a
 * message, or in `a`, which may be NULL. Other elements stay as they are.
 */
void netlink_attributes(const struct nlmsghdr *m, size_t header, const struct nlattr **by_type,
			uint16_t max);
void netlink_nested(const struct nlattr *a, const struct nlattr **by_type, uint16_t max);

/* Returns the number of 1, 2, 4 or 8 bytes in the attribute; 0 if `a` is NULL, or has other bytes. */
uint64_t netlink_number(const struct nlattr *a);

/* Copies the text in the attribute, cut to `size` bytes; *out stays if `a` is NULL. */
void netlink_text(const struct nlattr *a, char *out, size_t size);
