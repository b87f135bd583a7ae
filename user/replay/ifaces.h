/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The interfaces of a capture file: numbers and names. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define IFACES_MAX 1024
#define IFACE_NAME_SIZE 64

/* Begins as { 0 }. */
struct ifaces {
	uint32_t cnt;
	char names[IFACES_MAX][IFACE_NAME_SIZE];
	uint32_t tags[IFACES_MAX]; /* distinguish interfaces with equal names */
};

/* Writes a name from a file: at most IFACE_NAME_SIZE - 1 of the bytes, up to the first zero. Bytes
 * that are not printable ASCII become '?', as names go to terminals and into JSON.
 */
void ifaces_clean_name(char name[IFACE_NAME_SIZE], const uint8_t *bytes, size_t len);

/* Adds an interface. Returns its number; without room, the number of the last one. */
uint32_t ifaces_add(struct ifaces *i, const char *name, uint32_t tag);

/* Returns the number of the interface with this index on the capturing host, for files whose
 * interfaces have no other tag. Adds a new one as "index N".
 */
uint32_t ifaces_by_index(struct ifaces *i, uint32_t index);
