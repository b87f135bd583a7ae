/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Profiles: INI texts that define which packets belong to a stream, and which of their bytes are
 * the id. A section `[profile NAME]` becomes a struct dedup_stream. The text may be anything. Pure.
 * user/cli/PROFILES.md has the keys.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "spec.h"
#include "stream.h"

#define PROFILE_LINE_MAX 190 /* characters */
#define PROFILE_ABOUT_MAX 80
#define PROFILE_USE_MAX 24
#define PROFILES_MAX 256
#define PROFILE_SAYS_MAX 256

/* Defaults of numbered profiles. The history has all numbers of up to PROFILE_WHOLE_WIDTH bits;
 * else 2^PROFILE_RING_SHIFT numbers. The reset is short if numbers soon repeat: then 16 bits are
 * safe up to 1.3 million messages a second (include/recovery.h).
 */
#define PROFILE_WHOLE_WIDTH 17
#define PROFILE_RING_SHIFT 17
#define PROFILE_RESET_SHORT_NS (20 * 1000000ULL)
#define PROFILE_RESET_LONG_NS (10 * 1000000000ULL)
#define PROFILE_RESET_MIN_NS (10 * 1000000ULL)
#define PROFILE_RESET_MAX_NS (3600 * 1000000000ULL)

/* The names of layers in profiles and in status. */
#define PROFILE_LAYERS_CNT 3
extern const char *const PROFILE_LAYERS[PROFILE_LAYERS_CNT];

/* Where a profile comes from. It replaces a profile with its name from a lower origin. */
enum profile_origin {
	PROFILE_BUILTIN,
	PROFILE_OF_HOST, /* PROFILES_DIRECTORY */
	PROFILE_GIVEN,	 /* --profiles */
};

struct profile {
	struct dedup_stream stream;	/* has the profile's name; no ports, destinations, realm */
	struct dedup_numbered numbered; /* width 0: its ids are no numbers */
	char about[PROFILE_ABOUT_MAX];
	char use[PROFILE_USE_MAX];		   /* its field of use; "" if it is not given */
	char *text;				   /* its section, up to the next one */
	uint64_t window_ns;			   /* the longest that fits; 0: not given */
	double fpr;				   /* the highest that fits; 0: not given */
	struct dedup_ports ports[DEDUP_PORTS_MAX]; /* the protocol's usual ones */
	uint32_t ports_cnt;			   /* 0: there are none */
	struct dedup_tunnels tunnels;		   /* its packets may be in these */
	bool needs_to;				   /* only with destinations */
	bool needs_app;				   /* only if an application adds ids */
	enum profile_origin origin;
};

/* Begins as { 0 }. */
struct profiles {
	struct profile *list;
	size_t cnt;
};

/* An error's position, from 1 on, and a sentence without its full stop. Columns are bytes. */
struct profile_error {
	uint32_t line, column;
	char says[PROFILE_SAYS_MAX];
};

/* Adds the text's profiles. They replace profiles with their names from lower origins, except gsp:
 * only a built-in profile may have a decoder. Returns 0; or -EINVAL with *err filled in, and some
 * may have been added.
 */
int profiles_parse(struct profiles *p, const char *text, size_t len, enum profile_origin origin,
		   struct profile_error *err);

/* Adds the built-in profiles (user/spec/profiles). Returns 0, or -EINVAL (logged): a file is
 * wrong, or memory is missing.
 */
int profiles_add_builtin(struct profiles *p);

/* Adds the profiles of a file, as profiles_parse() does. Also returns, with err->line 0, -EFBIG if
 * the file is larger than PROFILES_FILE_MAX, or another -errno if it cannot be read.
 */
#define PROFILES_FILE_MAX (256 * 1024)
int profiles_add_file(struct profiles *p, const char *path, enum profile_origin origin,
		      struct profile_error *err);

/* Adds the host's own profiles: the files NAME.ini of this directory, sorted, if there is one.
 * Returns what profiles_add_file() returns for the first file that fails, and puts its path into
 * `path`; or -errno if the directory cannot be read, with the directory's path.
 */
#define PROFILES_DIRECTORY "/etc/xdp-dedup/profiles"
int profiles_add_host(struct profiles *p, char path[PATH_MAX], struct profile_error *err);

/* Returns the profile of this name, or NULL. */
const struct profile *profiles_find(const struct profiles *p, const char *name);

/* Removes the profiles for whose names keep() returns false. */
void profiles_keep(struct profiles *p, bool (*keep)(const char *name));

void profiles_free(struct profiles *p);

/* Returns whether a profile or a stream can have this name: letters, digits, - and _, the first one
 * a letter or a digit, at most DEDUP_STREAM_NAME - 1.
 */
bool stream_name_ok(const char *name);
