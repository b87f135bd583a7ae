/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The interfaces of a capture file: numbers and names. Pure. */
#ifndef XDP_DEDUP_IFACES_H
#define XDP_DEDUP_IFACES_H

#include <stddef.h>
#include <stdint.h>

#include "capture.h"

#define IFACE_NAME_SIZE 64

/* Begins as { 0 }. */
struct ifaces {
	uint32_t cnt;
	char names[CAPTURE_IFACES_MAX][IFACE_NAME_SIZE];
	uint32_t tags[CAPTURE_IFACES_MAX]; /* whatever tells them apart beside the name */
};

/* Writes a name that a file gives: at most IFACE_NAME_SIZE - 1 of the bytes, up to the first zero;
 * those that are not printable ASCII become '?', for names go to terminals and into JSON.
 */
void ifaces_clean_name(char name[IFACE_NAME_SIZE], const uint8_t *bytes, size_t len);

/* A number for one more; that of the last one if there is no more room. */
uint32_t ifaces_add(struct ifaces *i, const char *name, uint32_t tag);

/* The number of the interface with this index of the capturing host, in a file whose interfaces
 * have no other tag; one that is new is added, as "index N".
 */
uint32_t ifaces_by_index(struct ifaces *i, uint32_t index);

#endif
