// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "blocks.h"

#include <byteswap.h>
#include <stdio.h>
#include <string.h>

#define BLOCK_MIN 12 /* type, length; and the length again at the end */
#define BYTE_ORDER_MAGIC 0x1A2B3C4D

enum {
	TYPE_IFACE = 1,
	TYPE_OLD_PACKET = 2,
	TYPE_SIMPLE = 3,
	TYPE_PACKET = 6,
	TYPE_SECTION = 0x0A0D0D0A
};
enum { OPTION_END = 0, OPTION_IF_NAME = 2 };

static uint32_t get_u32(const struct blocks *b, const uint8_t *from)
{
	uint32_t value;

	memcpy(&value, from, sizeof(value));
	return b->swapped ? bswap_32(value) : value;
}

static uint16_t get_u16(const struct blocks *b, const uint8_t *from)
{
	uint16_t value;

	memcpy(&value, from, sizeof(value));
	return b->swapped ? bswap_16(value) : value;
}

static void set_field(struct blocks *b, int step, uint32_t skip, uint32_t field_len)
{
	b->step = step;
	b->skip = skip;
	b->field_len = field_len;
	b->have = 0;
}

static void set_block_field(struct blocks *b)
{
	set_field(b, BLOCK_HEAD, b->left + (BLOCK_MIN - 8), 8);
	b->left = 0;
}

/* Makes a field of the block's body the next one. Returns false if the body ends before it. */
static bool set_body_field(struct blocks *b, int step, uint32_t skip, uint32_t field_len)
{
	if (b->left < skip || b->left - skip < field_len)
		return false;
	b->left -= skip + field_len;
	set_field(b, step, skip, field_len);
	return true;
}

/* Adds an interface. It gets the number of an earlier section's interface with its name, unless
 * this section uses the number: merged files of several hosts may have two interfaces of one name.
 */
static void add_section_iface(struct blocks *b, const char *name)
{
	uint32_t id = b->section_ifaces++, number = 0;

	b->too_many |= b->section_ifaces > BLOCKS_IFACES_MAX;
	if (id >= IFACES_MAX)
		return;
	while (number < b->ifaces->cnt && (b->ifaces->tags[number] == b->section ||
					   strcmp(b->ifaces->names[number], name) != 0))
		number++;
	if (number == b->ifaces->cnt)
		number = ifaces_add(b->ifaces, name, b->section);
	b->ifaces->tags[number] = b->section;
	b->numbers[id] = (uint16_t)number;
}

static void add_nameless_iface(struct blocks *b)
{
	char name[IFACE_NAME_SIZE];

	snprintf(name, sizeof(name), "interface %u", b->section_ifaces);
	add_section_iface(b, name);
	set_block_field(b);
}

static void push(struct blocks *b, uint32_t id)
{
	uint16_t number = id < IFACES_MAX ? b->numbers[id] : IFACES_MAX - 1;

	b->queue[b->pushed++ % BLOCKS_QUEUE] = number;
}

/* If the length is too small, `left` wraps; but libpcap refuses the block, and reads no further. */
static void read_body(struct blocks *b)
{
	b->left = b->length - BLOCK_MIN - (b->type == TYPE_SECTION ? 4 : 0);
	switch (b->type) {
	case TYPE_IFACE:
		if (!set_body_field(b, BLOCK_SNAP, 4, 4))
			add_nameless_iface(b);
		return;
	case TYPE_PACKET:
	case TYPE_OLD_PACKET:
		if (set_body_field(b, BLOCK_PACKET, 0, b->type == TYPE_PACKET ? 4 : 2))
			return;
		break;
	case TYPE_SIMPLE:
		push(b, 0);
		break;
	}
	set_block_field(b);
}

static void read_head(struct blocks *b)
{
	b->type = get_u32(b, b->field);
	b->length = get_u32(b, b->field + 4);
	if (b->type == TYPE_SECTION) /* the byte order follows the length */
		set_field(b, BLOCK_ORDER, 0, 4);
	else
		read_body(b);
}

static void read_order(struct blocks *b)
{
	if (get_u32(b, b->field) == bswap_32(BYTE_ORDER_MAGIC)) {
		b->swapped = !b->swapped;
		b->length = bswap_32(b->length);
	}
	b->section++;
	b->section_ifaces = 0;
	read_body(b);
}

static void read_option(struct blocks *b)
{
	uint16_t code = get_u16(b, b->field), len = get_u16(b, b->field + 2);
	uint32_t padded = (len + 3U) & ~3U;
	uint32_t kept = len < IFACE_NAME_SIZE ? len : IFACE_NAME_SIZE;

	if (code == OPTION_IF_NAME && len && set_body_field(b, BLOCK_NAME, 0, kept))
		return;
	if (code == OPTION_END || !set_body_field(b, BLOCK_OPTION, padded, 4))
		add_nameless_iface(b);
}

static void read_name(struct blocks *b)
{
	char name[IFACE_NAME_SIZE];

	ifaces_clean_name(name, b->field, b->have);
	add_section_iface(b, name);
	set_block_field(b);
}

static void read_field(struct blocks *b)
{
	switch (b->step) {
	case BLOCK_HEAD:
		read_head(b);
		break;
	case BLOCK_ORDER:
		read_order(b);
		break;
	case BLOCK_SNAP:
		if (!set_body_field(b, BLOCK_OPTION, 0, 4))
			add_nameless_iface(b);
		break;
	case BLOCK_OPTION:
		read_option(b);
		break;
	case BLOCK_NAME:
		read_name(b);
		break;
	case BLOCK_PACKET:
		push(b, b->field_len == 2 ? get_u16(b, b->field) : get_u32(b, b->field));
		set_block_field(b);
		break;
	}
}

void blocks_begin(struct blocks *b, struct ifaces *ifaces)
{
	memset(b, 0, sizeof(*b));
	b->ifaces = ifaces;
	set_field(b, BLOCK_HEAD, 0, 8);
}

/* Overwrites these `n` bytes of an interface's snap length. */
static void write_snap(const struct blocks *b, uint8_t *bytes, size_t n)
{
	uint32_t snap = b->swapped ? bswap_32(BLOCKS_SNAP) : BLOCKS_SNAP;

	memcpy(bytes, (const uint8_t *)&snap + b->have, n);
}

void blocks_read(struct blocks *b, uint8_t *bytes, size_t len)
{
	while (len) {
		size_t n = b->skip ? b->skip : b->field_len - b->have;

		if (n > len)
			n = len;
		if (b->skip) {
			b->skip -= (uint32_t)n;
		} else {
			memcpy(b->field + b->have, bytes, n);
			if (b->step == BLOCK_SNAP)
				write_snap(b, bytes, n);
			b->have += (uint32_t)n;
			if (b->have == b->field_len)
				read_field(b);
		}
		bytes += n;
		len -= n;
	}
}

uint32_t blocks_pop(struct blocks *b)
{
	return b->popped == b->pushed ? 0 : b->queue[b->popped++ % BLOCKS_QUEUE];
}
