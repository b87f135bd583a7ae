/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Profiles: which packets a stream looks at, and which of their bytes are the id, as an INI text
 * says it. A section `[profile NAME]` becomes a struct dedup_stream. The text may be anything.
 * Pure. user/cli/PROFILES.md has the keys.
 */
#ifndef XDP_DEDUP_PROFILE_H
#define XDP_DEDUP_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "spec.h"
#include "stream.h"

#define PROFILE_LINE_MAX 190 /* characters */
#define PROFILE_ABOUT_MAX 80
#define PROFILES_MAX 256
#define PROFILE_SAYS_MAX 256

/* Of numbered profiles that do not say it. The history is as long as the numbers go, up to
 * PROFILE_WHOLE_WIDTH bits; else 2^PROFILE_RING_SHIFT numbers. The reset is short where numbers
 * soon repeat: 16 bits are then safe up to 1.3 million messages a second (include/recovery.h).
 */
#define PROFILE_WHOLE_WIDTH 17
#define PROFILE_RING_SHIFT 17
#define PROFILE_RESET_SHORT_NS (20 * 1000000ULL)
#define PROFILE_RESET_LONG_NS (10 * 1000000000ULL)
#define PROFILE_RESET_MIN_NS (10 * 1000000ULL)
#define PROFILE_RESET_MAX_NS (3600 * 1000000000ULL)

/* What a profile, and status, call the layers of streams. */
#define PROFILE_LAYERS_CNT 3
extern const char *const PROFILE_LAYERS[PROFILE_LAYERS_CNT];

struct profile {
	struct dedup_stream stream;	/* by the profile's name; no ports, destinations, realm */
	struct dedup_numbered numbered; /* width 0: its ids are no numbers */
	char about[PROFILE_ABOUT_MAX];
	char *text;	    /* its section, up to the next one */
	uint64_t window_ns; /* the longest that fits; 0: the profile does not say */
	double fpr;	    /* the highest that fits; 0: the profile does not say */
	struct dedup_ports ports[DEDUP_PORTS_MAX]; /* the protocol's usual ones */
	uint32_t ports_cnt;			   /* 0: there are none */
	struct dedup_tunnels tunnels;		   /* that its packets may be in */
	bool needs_to;				   /* only with destinations */
	bool needs_app;				   /* only where an application teaches */
	bool builtin;
};

/* Begins as { 0 }. */
struct profiles {
	struct profile *list;
	size_t cnt;
};

/* Where a text is wrong, from 1 on, and a sentence without its full stop. Columns are bytes. */
struct profile_error {
	uint32_t line, column;
	char says[PROFILE_SAYS_MAX];
};

/* Adds the text's profiles. One that has the name of a built-in one takes its place; but gsp's, as
 * only the built-in one may have a decoder of its own. builtin: they are built in. 0; or -EINVAL
 * with *err filled in, and some may have been added.
 */
int profiles_parse(struct profiles *p, const char *text, size_t len, bool builtin,
		   struct profile_error *err);

/* Adds those that the program brings along (user/spec/profiles). 0 or -ENOMEM. */
int profiles_add_builtin(struct profiles *p);

/* Adds those of a file, as profiles_parse() does. Returns -errno also if it cannot be read, -EFBIG
 * if it is larger than PROFILES_FILE_MAX, with err->line 0.
 */
#define PROFILES_FILE_MAX (256 * 1024)
int profiles_add_file(struct profiles *p, const char *path, struct profile_error *err);

/* NULL if there is none of this name. */
const struct profile *profiles_find(const struct profiles *p, const char *name);

void profiles_free(struct profiles *p);

/* Can a profile, or a stream, have this name? Letters, digits, - and _, the first one a letter or a
 * digit, at most DEDUP_STREAM_NAME - 1.
 */
bool stream_name_ok(const char *name);

#endif
