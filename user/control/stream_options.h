/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Streams as users ask for them: from --profile, --profiles and --port to the spec's. Failures are
 * logged.
 */
#ifndef XDP_DEDUP_STREAM_OPTIONS_H
#define XDP_DEDUP_STREAM_OPTIONS_H

#include "options.h"
#include "profile.h"

/* Adds the built-in profiles and those of the files of --profiles. 0 or -errno; the caller frees
 * *out in both cases.
 */
int stream_options_profiles(const struct options *o, struct profiles *out);

/* Adds the profiles of one file. 0; or -errno after logging FILE:LINE:COLUMN, or why it cannot be
 * read; the message begins with the line of a configuration that named the file.
 */
int stream_options_file(struct profiles *p, const struct given_text *file);

/* Makes the spec's streams of o->profiles, the first one of --port's ports if there are both; and
 * sets o->window_ns and o->fpr to the strictest of their profiles. To be called once all options
 * are known. 0 or -errno.
 */
int stream_options_set(struct options *o);

/* Sets which of the spec's streams are delivered, as --deliver says. 0, also if it was not given;
 * or -EINVAL if it names a stream that there is not.
 */
int stream_options_deliver(const struct options *o, struct filter_spec *spec);

/* Has each stream what it must have to be loaded: ports, destinations, --learn app? 0 or -EINVAL. */
int stream_options_check(const struct options *o);

#endif
