/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Logs what `status` and `watch` show of filters that could do better (advice.h): once
 * when it begins, and once when it has ended.
 */
#ifndef XDP_DEDUP_ADVISOR_H
#define XDP_DEDUP_ADVISOR_H

#include "readings.h"

struct advised;

struct advisor {
	struct advised *list; /* filters of which something was logged */
	int cnt;
};

/* Logs of each filter what is new since the last call; nothing yet of one that has been read only
 * once, as what it has counted of late is not known then.
 */
void advisor_tell(struct advisor *a, const struct readings *r);
void advisor_free(struct advisor *a);

#endif
