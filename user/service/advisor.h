/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Says in the log what `status` and `watch` say of filters that could do better (advice.h): once
 * when it begins, and once when it has ended.
 */
#ifndef XDP_DEDUP_ADVISOR_H
#define XDP_DEDUP_ADVISOR_H

struct advised;

struct advisor {
	struct advised *list; /* filters that have been read */
	int cnt;
};

/* Reads all filters, and says of each what is new since the last call, by what it has counted since
 * then; of a filter that is read for the first time nothing yet. What cannot be read is said.
 */
void advisor_look(struct advisor *a);
void advisor_free(struct advisor *a);

#endif
