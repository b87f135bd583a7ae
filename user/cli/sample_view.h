/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One sample, as `sample` shows it to people and to programs. */
#pragma once

#include <stdio.h>

#include "endpoints.h"
#include "open_filter.h"
#include "program.h"
#include "sample.h"

#define VIEW_IFACE_MAX 24 /* an interface's name, or "#" and its index */

struct sample_view {
	uint64_t time_ns; /* since the Unix epoch */
	const char *verdict, *reason, *stream;
	char iface[VIEW_IFACE_MAX];
	uint32_t ifindex;
	struct endpoint source, destination;
	char id[2 * DEDUP_ID_BYTES_MAX + 1]; /* in hex, as for add and test; digests: 16 digits */
	uint32_t len;			     /* of the frame */
};

/* Makes the view of a sample of this filter. to_epoch_ns: from the kernel's CLOCK_MONOTONIC to time
 * since the Unix epoch. The view's pointers are valid as long as the filter is open.
 */
void sample_view_make(const struct filter *f, const struct dedup_sample *sample,
		      int64_t to_epoch_ns, struct sample_view *out);

/* Makes the view of a frame, of which `have` bytes are there. It has this id (program.h), or many
 * (id->reason >= 0). The caller sets time, verdict, reason, interface and length.
 */
void sample_view_of_frame(const struct dedup_config *c, const struct program_id *id,
			  const uint8_t *frame, uint32_t have, struct sample_view *out);

/* Print the view on one line. */
void sample_view_text(const struct sample_view *v, FILE *to);
void sample_view_json(const struct sample_view *v, FILE *to);
