/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Lists and names the senders of a filter's numbered streams that have accounts (accounts.h). */
#pragma once

#include "accounts.h"

struct sender_list {
	struct source_figures *list; /* cnt */
	uint32_t cnt;
	uint32_t left_out; /* senders that are not in the list */
};

/* Reads at most `max` senders, sorted: those that are not redundant first, and then those with more
 * messages first. A filter without accounts has no senders. Returns 0; or -ENOMEM and an empty
 * list. The caller frees the list with sender_list_free() in both cases.
 */
int sender_list_read(const struct filter *f, uint32_t max, struct sender_list *ret_list);
void sender_list_free(struct sender_list *s);

/* A buffer for a source as text. */
#define SENDER_TEXT_MAX (2 * sizeof(struct dedup_id) + 20)

/* Writes the source's bytes of a packet in hex; "" if the stream has no source field. If numbers
 * have more than DEDUP_WIDTH_MAX bits, the upper bits belong to the source: they follow after "+",
 * unless they are 0. Returns text.
 */
const char *sender_hex(const struct dedup_config *c, const struct source_figures *s,
		       char text[SENDER_TEXT_MAX]);

/* Writes the source's bytes as text if all are printable, else as sender_hex() does; "-" if the
 * stream has no source field. Returns text.
 */
const char *sender_text(const struct dedup_config *c, const struct source_figures *s,
			char text[SENDER_TEXT_MAX]);

/* Returns the name of the path's stream; NULL if the filter does not have it any more. */
const char *sender_path_stream(const struct dedup_config *c, const struct path_figures *p);

/* Returns how many different numbers have arrived: the sum of `first` of all paths. */
uint64_t sender_first_all(const struct source_figures *s);
