/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Built-in profiles that had ids of bytes before they were numbered: a filter that such a version
 * has loaded goes on with these ids, until its memory is made anew.
 */
#ifndef XDP_DEDUP_RENUMBER_H
#define XDP_DEDUP_RENUMBER_H

#include "spec.h"

/* Makes those streams of the spec of a filter numbered that an older version made of built-in
 * profiles with ids of bytes: as these profiles are now. Names, ports, destinations and realms
 * stay. A stream stays as it is if another stream of its realm does. Returns 0, and sets
 * *ret_streams: bit n: stream n is numbered now; -ENOMEM; or -EINVAL if the spec could not have
 * them, for the reason in `says` (STREAMS_SAYS_MAX bytes). On failure *spec stays as it is.
 */
int renumber_streams(struct filter_spec *spec, uint32_t *ret_streams, char *says);

#endif
