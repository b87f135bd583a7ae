/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The senders of the numbered streams of a filter with accounts (accounts.h): a list of them, and
 * how they are named.
 */
#ifndef XDP_DEDUP_SENDER_LIST_H
#define XDP_DEDUP_SENDER_LIST_H

#include "accounts.h"

struct sender_list {
	struct source_figures *list; /* cnt */
	uint32_t cnt;
	uint32_t left_out; /* senders that are not in the list */
};

/* Reads at most `max` senders: first those that are not redundant; among these, and among the
 * others, those with the most messages first. A filter without accounts has no sender. Returns 0;
 * or -ENOMEM, and an empty list. The caller frees the list with sender_list_free() in both cases.
 */
int sender_list_read(const struct filter *f, uint32_t max, struct sender_list *ret_list);
void sender_list_free(struct sender_list *s);

/* A buffer for a source as text. */
#define SENDER_TEXT_MAX (2 * sizeof(struct dedup_id) + 20)

/* Writes the bytes of a packet that are the source, in hex: "" if the stream has no source. If
 * numbers have more than DEDUP_WIDTH_MAX bits, and the upper ones are not 0, they follow behind
 * "+": they belong to the source. Returns text.
 */
const char *sender_hex(const struct dedup_config *c, const struct source_figures *s,
		       char text[SENDER_TEXT_MAX]);

/* Writes these bytes as they are if all of them can be printed; else as sender_hex(). "-": the
 * stream has no source. Returns text.
 */
const char *sender_text(const struct dedup_config *c, const struct source_figures *s,
			char text[SENDER_TEXT_MAX]);

/* Returns the name of the path's stream; NULL if the filter has it no longer. */
const char *sender_path_stream(const struct dedup_config *c, const struct path_figures *p);

/* Returns how many numbers came that no path had brought before: the sum of `first`. */
uint64_t sender_first_all(const struct source_figures *s);

#endif
